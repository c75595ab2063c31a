import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "@playwright/test";
import pLimit from "p-limit";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { accessibilityViolations } from "#tests/support/accessibility";
import { sizes, withTab } from "#tests/support/browser";
import { isExtended } from "#tests/support/extended";
import { readStream } from "#tests/support/read-stream";
import catalogue from "../../content/vendors/catalogue.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");
const docs = readdirSync(join(root, "content/docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `/docs/${name.replaceAll("\\", "/").replace(/\.md$/, "")}`.replace(/\/index$/, ""));
/** Vendors of the catalogue and of the samples, which no test removes. */
const vendorSlugs = new Set([
  ...catalogue.vendors.map(({ slug }) => slug),
  ...readdirSync(join(root, "content/vendors/samples")),
]);
const missing = [
  ...["/no-such-page", "/docs/nothing", "/docs/api/nothing", "/replay/legal/nothing", "/vendors/nobody-here"],
  "/vendors/quarrydb/diffs/00000000-0000-4000-8000-000000000000",
  "/vendors/quarrydb/snapshots/00000000-0000-4000-8000-000000000000",
  "/models/openai/nothing-like-it",
  ...["/vendors/quarrydb/compare?from=1", "/vendors/nobody-here/snapshots"],
];
/** One page of each template. Pages whose paths are not known yet are added below. */
const templates = [
  ...["/", "/replay?vertical=legal", "/replay/legal/nda-review", "/embed/legal/nda-review", "/replay/open"],
  ...["/vendors", "/vendors/quarrydb", "/vendors/quarrydb/snapshots", "/vendors/quarrydb/compare", "/changes"],
  ...["/models", "/models/openai/gpt-5-mini"],
  ...["/status", "/pricing", "/pricing/cancelled", "/changelog", "/welcome", "/key", "/follow", "/no-such-page"],
  ...["/docs", "/docs/configuration", "/docs/api", "/docs/api/replay", "/docs/search-results?q=webhook"],
];
/** Pages that between them have almost every component. A browser visits the others with `--extended`. */
const visited = [
  ...["/", "/replay/legal/nda-review", "/vendors/quarrydb", "/changes", "/status", "/pricing", "/key"],
  "/docs/api/replay",
];
/** Of these, those that axe judges by default: with a player, a table, a form, and code. */
const judged = ["/replay/legal/nda-review", "/vendors/quarrydb", "/key", "/docs/api/replay"];
/** States that look different, and pages of the same templates. */
const others = [
  ...["/models?q=nothing-like-it", "/models/groq/openai/gpt-oss-120b"],
  ...["/replay", "/docs/api/vendors", "/vendors?q=nothing-like-it", "/docs/search-results?q=zzz"],
  "/changes?category=api-change&from=2001-01-01&to=2001-01-02",
  ...missing.filter((path) => !templates.includes(path)),
];
const paths = [...templates, ...others, ...docs.filter((path) => !templates.includes(path))];

/** The pages of a sample vendor's newest diff, of its latest version, and of the comparison of two versions. */
let diffPath: string;
let versionPath: string;
let comparePath: string;
beforeAll(async () => {
  const { diffs, snapshots } = await (await fetch(`${inject("baseUrl")}/api/v1/vendors/quarrydb`)).json();
  diffPath = `/vendors/quarrydb/diffs/${diffs[0].id}`;
  versionPath = `/vendors/quarrydb/snapshots/${snapshots[0].id}`;
  comparePath = `/vendors/quarrydb/compare?from=${snapshots.at(-1).id}&to=${snapshots[0].id}`;
});

/** Collects script errors, console errors (CSP violations among them), and requests to other origins. */
function watch(page: Page): string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    const isMissingPage = /status of 404/.test(message.text());
    if (message.type() === "error" && !isMissingPage) problems.push(message.text());
  });
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(inject("baseUrl")) || request.url().startsWith("data:");
    if (!isOwn) problems.push(`left the origin: ${request.url()}`);
  });
  return problems;
}

async function measureOverflow(page: Page, viewport: { width: number; height: number }): Promise<number> {
  await page.setViewportSize(viewport);
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Removes the shadows of scrollable boxes, because axe does not judge the contrast of text on gradients. */
async function removeShadows(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const box of document.querySelectorAll<HTMLElement>(".scroll-box")) box.style.backgroundImage = "none";
  });
}

/** Status and text of the pages that the browser has opened, by path: their other checks do not request them again. */
const statuses = new Map<string, number>();
const texts = new Map<string, string>();

async function read(path: string, origin = inject("baseUrl")): Promise<{ status: number; html: string }> {
  const response = await fetch(`${origin}${path}`);
  return { status: response.status, html: await response.text() };
}

async function readOnce(path: string): Promise<{ status: number; html: string }> {
  const known = { status: statuses.get(path), html: texts.get(path) };
  if (known.status !== undefined && known.html !== undefined) return known as { status: number; html: string };
  const { status, html } = await read(path);
  statuses.set(path, status);
  texts.set(path, html);
  return { status, html };
}

/** Opens a page and checks its policy, its heading, both widths, and with axe some in the light theme, with `--extended` all in both. */
async function visit(path: string): Promise<void> {
  await withTab({ viewport: sizes.wide, colorScheme: "light", reducedMotion: "reduce" }, async (page) => {
    const problems = watch(page);
    const response = await page.goto(`${inject("baseUrl")}${path}`, { waitUntil: "load" });
    if (!response) throw new Error(`${path} is not a page`);
    statuses.set(path, response.status());
    if (!docs.includes(path)) texts.set(path, await response.text());
    expect(response.headers()["content-security-policy"]).toContain("default-src 'none'");
    // Locators would load their own script into each page.
    const found = await page.evaluate(async () => {
      await document.fonts.ready;
      return ["h1", '[class~="undefined"]'].map((selector) => document.querySelectorAll(selector).length);
    });
    expect(found).toEqual([1, 0]);
    if (isExtended || judged.includes(path)) {
      await removeShadows(page);
      expect(await accessibilityViolations(page)).toEqual([]);
    }
    expect(await measureOverflow(page, sizes.narrow)).toBeLessThanOrEqual(0);
    if (isExtended) {
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await accessibilityViolations(page, { only: ["color-contrast", "target-size"] })).toEqual([]);
    }
    expect(await measureOverflow(page, { width: 320, height: 640 })).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  });
}

describe("a page", () => {
  it.concurrent.each(isExtended ? paths : visited)(
    "%s fits both widths, has no errors or findings, and loads nothing from elsewhere",
    visit,
  );

  it("of a diff, of a version, and of two versions does the same", async () => {
    for (const path of isExtended ? [diffPath, versionPath, comparePath] : [diffPath]) await visit(path);
  });

  it.each(templates)("%s has one heading, and no class of a missing style", async (path) => {
    const { html } = await readOnce(path);
    expect([html.match(/<h1\b/g)?.length, /class="[^"]*\bundefined\b/.test(html)]).toEqual([1, false]);
  });

  it.concurrent.each(isExtended ? templates : ["/", "/vendors/quarrydb", "/docs/configuration"])(
    "%s can be read without JavaScript",
    async (path) => {
      await withTab({ javaScriptEnabled: false }, async (page) => {
        await page.goto(`${inject("baseUrl")}${path}`);
        const length = await page.evaluate(() => document.querySelector("main")?.innerText.length);
        expect(length).toBeGreaterThan(30);
      });
    },
  );
});

describe("a page's metadata", () => {
  it.each([
    ["/", "WebSite"],
    ["/replay/legal/nda-review", "CreativeWork"],
    ["/docs/replay", "TechArticle"],
    ["/pricing", "WebAPI"],
    ["/vendors/quarrydb", "Dataset"],
  ])("%s is described as a %s", async (path, type) => {
    const { html } = await readOnce(path);
    const [, json = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
    const url = path === "/" ? inject("baseUrl") : `${inject("baseUrl")}${path}`;
    expect(JSON.parse(json)).toMatchObject({ "@context": "https://schema.org", "@type": type, url });
    expect(html).toContain(`<link rel="canonical" href="${url}"`);
  });

  it("has a title of its own", async () => {
    const pages = [...templates.filter((path) => !/no-such|cancelled|^\/embed/.test(path)), ...docs];
    const titles = await pLimit(4).map([...new Set(pages)], async (path) => {
      return /<title>(.*?)<\/title>/.exec((await readOnce(path)).html)?.[1];
    });
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it.each(missing)("%s returns 404 and is not indexed, and needs no script, with both adapters", async (path) => {
    const answer = await readOnce(path);
    for (const { status, html } of [answer, await read(path, inject("routeUrl"))]) {
      expect([status, html.includes('name="robots" content="noindex"')]).toEqual([404, true]);
      expect(html).toMatch(/<h1[^>]*>[A-Z][^<]* not found\.<\/h1>/);
      expect(html).toMatch(/<title>Page not found · /);
    }
    // The page has the requested path, not the one that it was rewritten to.
    expect(answer.html).toContain(`<link rel="canonical" href="${inject("baseUrl")}${path.split("?")[0]}"`);
  });

  it("of an embedded player without its cassette returns 404, and needs no script", async () => {
    const { status, html } = await read("/embed/legal/nothing");
    expect([status, html.includes("Cassette not found."), html.includes("<nav")]).toEqual([404, true, false]);
  });

  it.each(["/favicon.ico", "/icon.svg", "/apple-icon.png"])("%s exists", async (path) => {
    expect((await read(path)).status).toBe(200);
  });
});

/** URLs of a page's links, read from its HTML. */
async function readLinks(path: string): Promise<string[]> {
  const { html } = await readOnce(path);
  const hrefs = [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href]) =>
    (href as string).replaceAll("&amp;", "&"),
  );
  return hrefs.map((href) => new URL(href, `${inject("baseUrl")}${path}`).href.split("#")[0] as string);
}

/** Whether a link leads to a vendor that another test file has added, and removes while this one runs. */
function isOfTestVendor(href: string): boolean {
  const [, slug] = /^\/vendors\/([^/]+)/.exec(new URL(href).pathname) ?? [];
  return slug !== undefined && !vendorSlugs.has(slug);
}

describe("links", () => {
  // tests/api/discovery/links.test.ts follows those of the sitemap, and of the documentation with their anchors.
  it("all work", async () => {
    const sources = isExtended ? [...paths, diffPath, versionPath, comparePath] : [...templates, diffPath];
    const outsideDocs = sources.filter((path) => !docs.includes(path));
    const found = await Promise.all(outsideDocs.map(readLinks));
    const own = new Set(found.flat().filter((href) => href.startsWith(inject("baseUrl"))));
    expect(own.size).toBeGreaterThan(outsideDocs.length);
    for (const path of missing) own.delete(`${inject("baseUrl")}${path}`);
    const listed = (await read("/sitemap.xml")).html;
    const lasting = [...own].filter((href) => !isOfTestVendor(href) && !listed.includes(`<loc>${href}</loc>`));
    await pLimit(4).map(lasting, async (href) => {
      const known = statuses.get(href.slice(inject("baseUrl").length));
      // Some count towards the limit of an address, which other tests need.
      const status = known ?? (await readStream(href, { method: "HEAD", localAddress: "127.0.0.15" })).status;
      expect([href, [200, 302].includes(status)]).toEqual([href, true]);
    });
  });
});
