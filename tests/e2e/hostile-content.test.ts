import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { withPage } from "#tests/support/browser";
import { isExtended, itExtended } from "#tests/support/extended";
import { withAppDatabase } from "#tests/support/keys";
import { sampleCassette } from "#tests/support/sample-cassette";
import { serve } from "#tests/support/serve";
import { temporaryFolder } from "#tests/support/temporary-folder";
import { addVersion, reportRow } from "#tests/support/vendor-rows";

/** Texts that run `xss()`, load something or change the page if any of them is taken for markup, a link or an expression. */
const payloads = [
  `<script>xss()</script>`,
  `</script></title></textarea></style><script>xss()</script>`,
  `<img src=x onerror="xss()">`,
  `"'><svg onload=xss() data-hostile>`,
  `[a](javascript:xss()) <javascript:xss()> [b](JaVaScRiPt:xss()) [c](java&#115;cript:xss())`,
  `[d](data:text/html,<script>xss()</script>) [e](vbscript:xss()) ![f](x" onerror="xss())`,
  `<a href="javascript:xss()" data-hostile>x</a><iframe srcdoc="<script>parent.xss()</script>"></iframe>`,
  `<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<form action="https://evil.example/" data-hostile><button>x</button></form><style>*{display:none}</style>`,
  `{{constructor.constructor('xss()')()}} \${xss()} <%= xss() %> \u2028xss()\u2029`,
  `<!--<img src="--><img src=x onerror=xss()//">`,
  `<math><mtext><table><mglyph><style><img src=x onerror="xss()">`,
];
const all = payloads.join("\n\n");
/** Lines that could break a page without being markup. */
const hardLines = [
  "- [Away](https://evil.example/?a=1&b=%22%3E%3Cscript%3E)",
  "user\u202Etxt.exe and a\u200Bb",
  "&lt;b&gt; &#0; ]]>",
  "x".repeat(100_000),
  `https://evil.example/${"y".repeat(5_000)}`,
];
const origin = () => inject("baseUrl");

/** What only a text that was taken for markup puts on a page. */
const hostileElements = [
  ..."[data-hostile] [onerror] [onload] iframe[srcdoc] base math mglyph meta[http-equiv=refresh]".split(" "),
  ...["javascript:", "data:", "vbscript:"].map((scheme) => `a[href^="${scheme}" i]`),
  ...['form[action*="evil"]', 'img[src="x"]'],
].join();

/** Collects, before a page is opened, the scripts of texts that run on it, and what its policy prevented. */
async function listen(page: Page): Promise<{ ran: string[]; violations: string[] }> {
  const found = { ran: [] as string[], violations: [] as string[] };
  await page.exposeFunction("xss", () => void found.ran.push(`${page.url()} ran a script`));
  await page.exposeFunction("reportViolation", (what: string) => void found.violations.push(`${page.url()}: ${what}`));
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    reportViolation(violatedDirective + " " + blockedURI))`);
  return found;
}

/** Opens pages, and expects that none of them runs or loads what a text says, nor needs its policy to prevent it. */
async function expectHarmless(visit: (page: Page, check: () => Promise<void>) => Promise<void>): Promise<void> {
  await withPage({ reducedMotion: "reduce" }, async (page) => {
    const problems: string[] = [];
    const { ran, violations } = await listen(page);
    page.on("dialog", (dialog) => {
      problems.push(`${page.url()} opened a dialog`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (new URL(request.url()).hostname.includes("evil")) problems.push(`${page.url()} requested ${request.url()}`);
    });
    await visit(page, async () => {
      const found = await page.locator(hostileElements).evaluateAll((elements) => elements.map((one) => one.outerHTML));
      problems.push(...found.map((html) => `${page.url()} has ${html.slice(0, 200)}`));
    });
    expect([...ran, ...violations, ...problems]).toEqual([]);
  });
}

it("the policy of a page holds where a text would be markup", async () => {
  await withPage({}, async (page) => {
    const { ran, violations } = await listen(page);
    await page.goto(`${origin()}/docs`, { waitUntil: "networkidle" });
    const markup = payloads.filter((payload) => !payload.includes("http-equiv"));
    await page.evaluate((texts) => {
      for (const html of texts) {
        const box = document.createElement("div");
        box.innerHTML = html;
        document.body.append(box);
        for (const link of box.querySelectorAll("a")) link.click();
      }
    }, markup);
    for (const directive of ["script-src-attr", "script-src-elem", "style-src-elem"])
      await expect.poll(() => violations.join()).toContain(directive);
    expect(ran).toEqual([]);
  });
});

/** Texts of a report that run `xss()` if they are markup. */
const hostile = { summary: all, sectionsAdded: payloads, keyQuotes: payloads, significance: 5 };

let slug: string;
/** Adds a version whose report is the newest change of all. */
let addNewest: () => Promise<unknown>;
let paths: string[];
beforeAll(async () => {
  const file = [`# ${payloads[1]}\n\n> ${payloads[2]}\n\n## ${payloads[3]}\n\n${all}`, ...hardLines].join("\n");
  const versions = [`# ${payloads[0]}\n`, `${file}\n`];
  const vendor = await addAppVendor({ name: `Hostile ${all}`.slice(0, 2_000), isPublic: true }, versions);
  slug = vendor.slug;
  const [first, second] = vendor.stored;
  const reportOf = (diffId: string | null) => ({ data: reportRow({ vendorId: vendor.id, diffId, ...hostile }) });
  await withAppDatabase((database) => database.report.create(reportOf(second?.diffId ?? null)));
  addNewest = () =>
    withAppDatabase(async (database) => {
      const { diffId } = await addVersion(database, slug, `# ${randomUUID()}\n`, new Date());
      await database.report.create(reportOf(diffId));
    });
  const compared = `from=${first?.snapshotId}&to=${second?.snapshotId}`;
  paths = [`/vendors/${slug}`, `/vendors/${slug}/diffs/${second?.diffId}`, `/vendors/${slug}/compare?${compared}`];
  if (isExtended) paths.push("/", "/changes", `/changes?vendor=${slug}`, `/vendors/${slug}/snapshots`);
  if (isExtended) paths.push(`/vendors/${slug}/snapshots/${second?.snapshotId}`, "/vendors?q=Hostile");
});
afterAll(removeAppVendors);

it("a vendor's name, file and report are text on every page that shows them", async () => {
  await expectHarmless(async (page, check) => {
    for (const path of paths) {
      const textOfPage = async () => {
        // The home page has the newest changes: other tests may have added some since.
        if (path === "/") await addNewest();
        await page.goto(`${origin()}${path}`, { waitUntil: "networkidle" });
        return page.locator("body").innerText();
      };
      await expect.poll(textOfPage).toContain("xss()");
      await check();
      const layout = await page.evaluate(() => ({
        headings: document.querySelectorAll("h1").length,
        overflow: document.documentElement.scrollWidth > innerWidth,
      }));
      expect([path, layout]).toEqual([path, { headings: 1, overflow: false }]);
      // With the lines that are folded.
      const text = (await page.locator("main").textContent()) ?? "";
      expect([path, text]).toEqual([path, expect.not.stringMatching(/[\u202E\u200B]/)]);
      const links = await page
        .locator("main a[href^=http]")
        .evaluateAll((found) => (found as HTMLAnchorElement[]).map(({ href, rel }) => ({ href, rel })));
      for (const { href, rel } of links)
        if (!href.startsWith(origin())) expect([path, href, rel]).toEqual([path, href, "nofollow noreferrer"]);
      if (!path.includes("/diffs/")) continue;
      for (const shown of [...hardLines.slice(0, 1), "user[U+202E]txt.exe and a[U+200B]b", "&lt;b&gt; &#0; ]]>"])
        expect(text).toContain(shown);
      expect(text).toContain("98,000 more characters");
    }
  });
});

it("what a query says is text", async () => {
  await expectHarmless(async (page, check) => {
    for (const payload of isExtended ? payloads : payloads.slice(1, 2)) {
      const query = (name: string) => new URLSearchParams({ [name]: payload });
      const shown = [`/docs/search-results?${query("q")}`, `/vendors?${query("q")}`, `/changes?${query("from")}`];
      if (isExtended)
        shown.push(`/changes?${query("vendor")}`, `/replay?${query("vertical")}`, `/welcome?${query("session_id")}`);
      for (const path of shown) {
        await page.goto(`${origin()}${path}`);
        await check();
      }
    }
  });
});

/** An answer with text, thinking, a tool call, its input and citations, all hostile. */
function anthropicStream(text: string): string {
  const block = (index: number, content_block: object, deltas: object[]) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const citation = { type: "web_search_result_location", cited_text: text, title: text, url: "javascript:xss()" };
  const events = [
    { type: "message_start", message: { id: text, role: "assistant", model: text, content: [], usage: {} } },
    ...block(0, { type: "thinking", thinking: "" }, [{ type: "thinking_delta", thinking: text }]),
    ...block(1, { type: "text", text: "", citations: [] }, [
      { type: "citations_delta", citation },
      { type: "text_delta", text },
    ]),
    ...block(2, { type: "tool_use", id: text, name: text, input: {} }, [
      { type: "input_json_delta", partial_json: JSON.stringify({ [text]: text }) },
    ]),
    { type: "message_delta", delta: { stop_reason: text }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
    { type: "error", error: { type: text, message: text } },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function openaiStream(text: string): string {
  const call = { index: 0, id: text, function: { name: text, arguments: text } };
  const chunks = [{ role: "assistant", content: text }, { tool_calls: [call] }].map((delta) => {
    return { id: text, object: "chat.completion.chunk", model: text, choices: [{ index: 0, delta }] };
  });
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  return `${[...chunks, end].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
}

function har(text: string, body: string, status = 200): string {
  const headers = [{ name: "content-type", value: status === 200 ? "text/event-stream" : "application/json" }];
  const request = { method: text, url: `https://api.example.com/${text}` };
  const response = { status, statusText: text, headers, content: { text: body } };
  const entry = { startedDateTime: "2026-11-21T09:00:00.000Z", comment: text, request, response };
  return JSON.stringify({ log: { entries: [entry, entry] } });
}

const files: [name: string, content: string][] = [
  ["anthropic.txt", anthropicStream(all)],
  [`${payloads[2]?.replaceAll("/", "")}.har`, har(all, anthropicStream(all))],
];
if (isExtended) {
  files.push(
    ["openai.txt", openaiStream(all)],
    ["error.har", har(all, JSON.stringify({ error: { type: all, message: all } }), 500)],
    ["broken.json", all],
    ["broken.har", `{"log": {"entries": [${JSON.stringify(all)}]}}`],
    ["cassette.json", sampleCassette("legal/hostile", all)],
    ...payloads.map((payload, index): [string, string] => [`${index}.txt`, anthropicStream(payload)]),
  );
}

it("an opened file is text in the player", async () => {
  await expectHarmless(async (page, check) => {
    for (const [name, content] of files) {
      await page.goto(`${origin()}/replay/open`, { waitUntil: "networkidle" });
      await page.locator("[data-ready=true]").waitFor();
      const chosen = { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) };
      await page.getByLabel("Choose a file").setInputFiles(chosen);
      const opened = page.getByRole("region", { name: "The opened file" });
      const answer = page.getByRole("list", { name: "Answers" }).getByRole("button").first();
      await opened.or(answer).or(page.getByText("Couldn’t open the file.")).first().waitFor();
      await check();
      if (!(await answer.isVisible())) continue;
      await answer.click();
      await opened.waitFor();
      await check();
    }
  });
});

itExtended("a cassette of a server is text in the player, its frame and its share image", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "legal"));
  const title = payloads[0]?.replaceAll('"', "'") ?? "";
  const file = sampleCassette("legal/hostile", all).replace("Sample legal/hostile", title);
  writeFileSync(join(folder, "legal/hostile.json"), file);
  const app = await serve("node", { CASSETTE_DIR: folder });
  try {
    await expectHarmless(async (page, check) => {
      for (const path of ["/replay/legal/hostile?t=100", "/embed/legal/hostile?t=100", "/replay"]) {
        const response = await page.goto(`${app.origin}${path}`, { waitUntil: "networkidle" });
        expect([path, response?.status()]).toEqual([path, 200]);
        await check();
      }
    });
    // No cassette is of the site's own vertical, so that the gallery opens with all.
    expect(await (await fetch(`${app.origin}/replay`)).text()).toContain('href="/replay/legal/hostile"');
    expect((await fetch(`${app.origin}/og/replay/legal/hostile.png`)).headers.get("content-type")).toBe("image/png");
  } finally {
    await app.stop();
  }
});
