import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { cronJobs } from "#lib/jobs/index";
import { addAppVendor, removeAppVendors } from "#tests/support/app-vendors";
import { openBrowser } from "#tests/support/browser";

const base = inject("baseUrl");

/** Text with which a vendor could try to inject markup or scripts. */
const hostile = [
  "# Acme",
  '<script>window.broken = "script"</script>',
  "<img src=x onerror=\"window.broken = 'image'\">",
  "</td></tr></table><h1>Not ours</h1>",
  "[click](javascript:window.broken=1) javascript:alert(1)",
  "- [Away](https://evil.example/?a=1&b=%22%3E%3Cscript%3E)",
  "user\u202Etxt.exe and a\u200Bb",
  "&lt;b&gt; &#0; ]]> <!-- -->",
  "x".repeat(100_000),
  `https://evil.example/${"y".repeat(5_000)}`,
].join("\n");

type Vendor = Awaited<ReturnType<typeof addAppVendor>>;
const diffPath = ({ slug, stored }: Vendor, index = 1) => `/vendors/${slug}/diffs/${stored[index]?.diffId}`;

let browser: Browser;
let attacker: Vendor;
let long: Vendor;
let closed: Vendor;
beforeAll(async () => {
  browser = await openBrowser();
  const name = "Acme <script>window.broken = 'name'</script>";
  attacker = await addAppVendor({ name, isPublic: true }, ["# Acme\n", hostile, "# Acme again\n"]);
  const lines = (text: string) => Array.from({ length: 900 }, (_, line) => `${text} ${line}\n`).join("");
  long = await addAppVendor({ isPublic: true }, [lines("old"), lines("new")]);
  closed = await addAppVendor({ isPublic: false }, ["private words\n", "other private words\n"]);
});
afterAll(async () => {
  await browser.close();
  await removeAppVendors();
});

async function withPage<T>(options: BrowserContextOptions, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext(options);
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}
/** For assertions that a busy machine may need to repeat, in milliseconds. */
const longWait = { timeout: 20_000, interval: 100 };
const plain = { javaScriptEnabled: false };
const main = (page: Page) => page.locator("main").innerText();

describe("the directory", () => {
  it("is searched and filtered by a form without JavaScript, and keeps the query in its URL", async () => {
    await withPage(plain, async (page) => {
      await page.goto(`${base}/vendors`);
      await page.getByLabel("Name or domain").fill("QUARRY");
      await page.getByLabel("Category").selectOption("database");
      await page.getByRole("button", { name: "Search" }).click();
      await page.waitForURL(({ searchParams }) => searchParams.get("q") === "QUARRY");
      expect(await page.getByRole("rowheader").allInnerTexts()).toEqual([expect.stringContaining("QuarryDB")]);
      expect(await page.getByLabel("Name or domain").inputValue()).toBe("QUARRY");
      expect(await page.getByLabel("Category").inputValue()).toBe("database");
    });
  });

  it("is paginated by links without JavaScript, and keeps its filters", async () => {
    await withPage(plain, async (page) => {
      await page.goto(`${base}/vendors?sort=name&status=active`);
      const first = await page.getByRole("rowheader").allInnerTexts();
      await page.getByRole("link", { name: "Next" }).click();
      await page.waitForURL(({ search }) => search.includes("page="));
      const { searchParams } = new URL(page.url());
      expect(Object.fromEntries(searchParams)).toEqual({ sort: "name", status: "active", page: "2" });
      const second = await page.getByRole("rowheader").allInnerTexts();
      expect([first.length > 0, first.filter((name) => second.includes(name))]).toEqual([true, []]);
    });
  });

  it("says if no vendor matches, and links to all vendors", async () => {
    await withPage(plain, async (page) => {
      await page.goto(`${base}/vendors?q=nobody-is-called-so`);
      expect(await main(page)).toContain("No matching vendors.");
      await page.getByRole("link", { name: "Show all vendors" }).click();
      await page.waitForURL(`${base}/vendors`);
    });
  });

  it("updates while the user types, and keeps the focus in the field", async () => {
    await withPage({}, async (page) => {
      await page.goto(`${base}/vendors`);
      const field = page.getByLabel("Name or domain");
      // The first input is lost if the page is not hydrated yet.
      await vi.waitFor(async () => {
        await field.fill("");
        await field.pressSequentially("quarrydb");
        await page.waitForURL(`${base}/vendors?q=quarrydb`, { timeout: 10_000 });
      }, longWait);
      await page.getByText("1 vendor for").waitFor();
      expect(await page.getByRole("rowheader").count()).toBe(1);
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    });
  });
});

describe("text from vendors", () => {
  const paths = () => [
    `/vendors?q=${attacker.slug}`,
    `/vendors/${attacker.slug}`,
    ...[1, 2].flatMap((index) => ["", "?view=split"].map((query) => `${diffPath(attacker, index)}${query}`)),
  ];

  it("is shown as plain text on every page", async () => {
    for (const path of paths()) {
      await withPage({}, async (page) => {
        const problems: string[] = [];
        page.on("pageerror", ({ message }) => problems.push(message));
        page.on("request", (request) => {
          if (!request.url().startsWith(base)) problems.push(request.url());
        });
        await page.goto(`${base}${path}`);
        const found = await page.evaluate(() => ({
          broken: (window as { broken?: string }).broken ?? null,
          made: document.querySelectorAll("main :is(img, iframe, object, form[action*='evil'])").length,
          scripts: document.querySelectorAll("main script:not([type='application/ld+json'])").length,
          headings: document.querySelectorAll("h1").length,
          overflow: document.documentElement.scrollWidth > innerWidth,
        }));
        expect([path, found, problems]).toEqual([
          path,
          { broken: null, made: 0, scripts: 0, headings: 1, overflow: false },
          [],
        ]);
        expect(await main(page)).not.toMatch(/[\u202E\u200B]/);
      });
    }
  });

  it("is shown literally, with invisible characters spelled out", async () => {
    await withPage(plain, async (page) => {
      await page.goto(`${base}${diffPath(attacker)}`);
      const text = await main(page);
      expect(text).toContain('<script>window.broken = "script"</script>');
      expect(text).toContain("&lt;b&gt; &#0; ]]> <!-- -->");
      expect(text).toContain("user[U+202E]txt.exe and a[U+200B]b");
      expect(text).toContain("98,000 more characters");
    });
  });

  it("only links to http(s) URLs, without a referrer", async () => {
    await withPage(plain, async (page) => {
      for (const path of paths()) {
        await page.goto(`${base}${path}`);
        const links = await page
          .locator("main a[href]")
          .evaluateAll((found) => found.map((link) => [link.getAttribute("href"), link.getAttribute("rel")] as const));
        expect(links.length).toBeGreaterThan(0);
        for (const [address, rel] of links) {
          const { href, protocol } = new URL(address ?? "", page.url());
          expect(protocol).toMatch(/^https?:$/);
          if (!href.startsWith(base)) expect([href, rel]).toEqual([href, "nofollow noreferrer"]);
        }
      }
    });
  });

  it("is escaped in titles and structured data", async () => {
    await withPage(plain, async (page) => {
      for (const [path, type] of [
        [`/vendors/${attacker.slug}`, "Dataset"],
        [diffPath(attacker), "WebPage"],
      ]) {
        await page.goto(`${base}${path}`);
        expect(await page.title()).toContain("<script>");
        expect(await page.locator("link[rel='canonical']").getAttribute("href")).toBe(`${base}${path}`);
        const text = await page.locator("script[type='application/ld+json']").textContent();
        const data = JSON.parse(text ?? "") as { "@type": string; name: string };
        expect([data["@type"], data.name]).toEqual([type, expect.stringContaining("<script>")]);
      }
    });
  });
});

describe("a diff's page", () => {
  it("has a link target for every line of both sides, in both views", async () => {
    await withPage({}, async (page) => {
      for (const view of ["", "view=split&"]) {
        await page.goto(`${base}${diffPath(long)}?${view}hunks=2#L450`);
        expect(await page.locator("#L450:target").innerText()).toBe("450");
        await page.goto(`${base}${diffPath(long)}?${view}hunks=4`);
        await page.getByRole("link", { name: "Newer line 700", exact: true }).click();
        expect(new URL(page.url()).hash).toBe("#R700");
        expect(await page.locator("tr:has(:target)").innerText()).toContain("new 699");
      }
    });
  });

  it("has pages of hunks and two views by URL, without JavaScript", async () => {
    await withPage(plain, async (page) => {
      await page.goto(`${base}${diffPath(long)}`);
      expect(await page.locator("tbody tr").count()).toBeLessThanOrEqual(500);
      expect(await main(page)).toContain("Page 1 of 5");
      await page.getByRole("link", { name: "Side by side" }).click();
      await page.waitForURL(({ search }) => search.includes("view=split"));
      await page.getByRole("navigation", { name: "Pages: Changed lines" }).getByRole("link", { name: "Next" }).click();
      await page.waitForURL(({ search }) => search === "?view=split&hunks=2");
      expect(await main(page)).toContain("old 400");
    });
  });

  it("hides the text of vendors outside the free tier, and says how to get it", async () => {
    for (const path of [diffPath(closed), `/vendors/${closed.slug}`]) {
      const response = await fetch(`${base}${path}`);
      expect([path, response.status, (await response.text()).includes("private words")]).toEqual([path, 200, false]);
    }
    await withPage(plain, async (page) => {
      await page.goto(`${base}${diffPath(closed)}`);
      expect(await main(page)).toContain("You need a key to see the changed lines.");
      expect(await page.locator("main a[href='/pricing']").count()).toBe(1);
    });
  });
});

describe("a vendor's page", () => {
  it("links to its changes from the timeline, by keyboard alone", async () => {
    await withPage({}, async (page) => {
      await page.goto(`${base}/vendors/quarrydb`);
      const ticks = page.locator("main svg a");
      await ticks.last().focus();
      expect(await ticks.last().locator("text").isVisible()).toBe(true);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/vendors/quarrydb/diffs/*");
    });
  });

  it("links to its feed, and shows commands that work", async () => {
    await withPage(plain, async (page) => {
      await page.goto(`${base}/vendors/quarrydb`);
      const commands = (await page.locator("pre").allInnerTexts()).filter((text) => text.startsWith("curl http"));
      expect(commands.length).toBeGreaterThanOrEqual(3);
      for (const command of commands)
        expect([command, (await fetch(command.slice("curl ".length))).status]).toEqual([command, 200]);
      expect(await page.locator("main a[href$='/feed.xml']").count()).toBe(1);
    });
  });
});

it.each(["/vendors/nobody", "/vendors/quarrydb/diffs/1", `/vendors/nobody/diffs/${crypto.randomUUID()}`])(
  "%s returns 404 and links to the vendors",
  async (path) => {
    await withPage({}, async (page) => {
      expect((await page.goto(`${base}${path}`))?.status()).toBe(404);
      await page.locator("main a[href='/vendors']").waitFor();
    });
  },
);

it("the status page lists every job and every site, without JavaScript", async () => {
  await withPage(plain, async (page) => {
    await page.goto(`${base}/status`);
    const text = await main(page);
    expect(text).toContain("The service and its database are up.");
    for (const { name } of cronJobs) expect(text).toContain(name);
    expect(await page.getByRole("table", { name: "Sites" }).getByRole("rowheader").count()).toBe(4);
  });
});
