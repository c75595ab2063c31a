import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { findingsOf } from "#tests/support/accessibility";
import { openBrowser, sizes, withPage } from "#tests/support/browser";

const root = resolve(import.meta.dirname, "../..");
const screenshots = join(root, ".tapedeck/screenshots");
const docs = readdirSync(join(root, "content/docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `/docs/${name.replaceAll("\\", "/").replace(/\.md$/, "")}`.replace(/\/index$/, ""));
const missing = [
  ...["/no-such-page", "/docs/nothing", "/docs/api/nothing", "/replay/legal/nothing", "/vendors/nobody-here"],
  "/vendors/quarrydb/diffs/00000000-0000-4000-8000-000000000000",
];
const others = [
  ...["/", "/replay", "/replay?vertical=legal", "/replay/legal/nda-review", "/embed/legal/nda-review"],
  ...["/vendors", "/vendors?q=nothing-like-it", "/vendors/quarrydb", "/status"],
  ...["/pricing", "/pricing/cancelled", "/welcome", "/key", "/docs/api", ...missing],
  ...["/docs/api/replay", "/docs/api/vendors", "/docs/search-results?q=webhook", "/docs/search-results?q=zzz"],
];
const paths = [...others, ...docs];

let browser: Browser;
/** Path of the latest change of a sample vendor. */
let diffPath: string;
beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await openBrowser();
  const { diffs } = await (await fetch(`${inject("baseUrl")}/api/v1/vendors/quarrydb`)).json();
  diffPath = `/vendors/quarrydb/diffs/${diffs[0].id}`;
});
afterAll(() => browser.close());

function watch(page: Page): string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    const isMissingPage = /status of 404/.test(message.text());
    if (message.type() === "error" && !isMissingPage) problems.push(message.text());
  });
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(inject("baseUrl")) || request.url().startsWith("data:");
    if (!isOwn) problems.push(`request to another origin: ${request.url()}`);
  });
  return problems;
}

async function overflowOf(page: Page, viewport: { width: number; height: number }): Promise<number> {
  await page.setViewportSize(viewport);
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Checks a page: no errors, no third-party requests, no accessibility findings, no overflow, and a strict policy. */
async function visit(path: string): Promise<void> {
  await withPage(browser, { viewport: sizes.wide, colorScheme: "light" }, async (page) => {
    const problems = watch(page);
    const response = await page.goto(`${inject("baseUrl")}${path}`, { waitUntil: "load" });
    expect(response?.headers()["content-security-policy"]).toContain("default-src 'none'");
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    expect(await page.locator("h1").count()).toBe(1);
    const file = path.replaceAll(/[/?=]/g, "_").replace(/^_$/, "_home");
    await page.screenshot({ path: join(screenshots, `${file}-wide-light.png`) });
    expect(await findingsOf(page)).toEqual([]);
    expect(await overflowOf(page, sizes.narrow)).toBeLessThanOrEqual(0);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: join(screenshots, `${file}-narrow-dark.png`) });
    expect(await overflowOf(page, { width: 320, height: 640 })).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  });
}

const visitTimeoutMs = 60_000;

describe("a page", () => {
  it.concurrent.each(paths)(
    "%s has no errors, accessibility findings, overflow or third-party requests",
    (path) => visit(path),
    visitTimeoutMs,
  );

  it("of a change has none either", () => visit(diffPath), visitTimeoutMs);

  it.concurrent.each(others)(
    "%s has sufficient contrast in dark mode",
    async (path) => {
      await withPage(browser, { viewport: sizes.narrow, colorScheme: "dark" }, async (page) => {
        await page.goto(`${inject("baseUrl")}${path}`);
        expect(await findingsOf(page, { only: "color-contrast" })).toEqual([]);
      });
    },
    visitTimeoutMs,
  );

  it.concurrent.each(others)(
    "%s has its text without JavaScript",
    async (path) => {
      await withPage(browser, { javaScriptEnabled: false }, async (page) => {
        await page.goto(`${inject("baseUrl")}${path}`);
        expect((await page.locator("main").innerText()).length).toBeGreaterThan(30);
      });
    },
    visitTimeoutMs,
  );
});

describe("a page's metadata", () => {
  const read = async (path: string) => {
    const response = await fetch(`${inject("baseUrl")}${path}`);
    return { status: response.status, html: await response.text() };
  };

  it.each([
    ["/", "WebSite"],
    ["/replay/legal/nda-review", "CreativeWork"],
    ["/docs/replay", "TechArticle"],
    ["/pricing", "WebAPI"],
    ["/vendors/quarrydb", "Dataset"],
  ])("%s is described as a %s", async (path, type) => {
    const { html } = await read(path);
    const [, json = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
    const url = path === "/" ? inject("baseUrl") : `${inject("baseUrl")}${path}`;
    expect(JSON.parse(json)).toMatchObject({ "@context": "https://schema.org", "@type": type, url });
    expect(html).toContain(`<link rel="canonical" href="${url}"`);
  });

  it.each(missing)("%s returns 404 and is not indexed", async (path) => {
    const { status, html } = await read(path);
    expect([status, html.includes('name="robots" content="noindex"')]).toEqual([404, true]);
    // The page has the requested path, not the one that it was rewritten to.
    expect(html).toContain(`<link rel="canonical" href="${inject("baseUrl")}${path}"`);
  });

  it.each(["/favicon.ico", "/icon.svg", "/apple-icon.png"])("%s exists", async (path) => {
    expect((await read(path)).status).toBe(200);
  });
});

/** URLs of a page's links, read from its HTML. */
async function readLinks(path: string): Promise<string[]> {
  const html = await (await fetch(`${inject("baseUrl")}${path}`)).text();
  const hrefs = [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href]) =>
    (href as string).replaceAll("&amp;", "&"),
  );
  return hrefs.map((href) => new URL(href, `${inject("baseUrl")}${path}`).href.split("#")[0] as string);
}

describe("links", () => {
  it("all work, in pages and in their markdown", async () => {
    const found = await Promise.all([...paths, diffPath].map(readLinks));
    const own = new Set(found.flat().filter((href) => href.startsWith(inject("baseUrl"))));
    expect(own.size).toBeGreaterThan(paths.length);
    for (const path of missing) own.delete(`${inject("baseUrl")}${path}`);
    for (const href of own) {
      const { status } = await fetch(href, { method: "HEAD", redirect: "manual" });
      expect([href, [200, 302].includes(status)]).toEqual([href, true]);
    }
    for (const path of docs) {
      const raw = await fetch(`${inject("baseUrl")}${path === "/docs" ? "/docs/index" : path}.md`);
      expect([path, raw.status, raw.headers.get("content-type")]).toEqual([path, 200, "text/markdown; charset=utf-8"]);
    }
  }, 120_000);
});
