import type { Browser, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { openBrowser, sizes, withPage } from "#tests/support/browser";

const base = inject("baseUrl");
const plain = { javaScriptEnabled: false };
/** For assertions that a busy machine may need to repeat, in milliseconds. */
const longWait = { timeout: 20_000, interval: 50 };

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const field = (page: Page) => page.getByRole("combobox", { name: "Search" });
const options = (page: Page) => page.getByRole("option");
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Opens a page and waits until it is hydrated: the search shortcut works. */
async function openWithSearch(page: Page, path: string): Promise<void> {
  await page.goto(`${base}${path}`);
  await vi.waitFor(async () => {
    await page.keyboard.press("/");
    expect(await focused(page)).toBe("search");
  }, longWait);
}

describe("the search", () => {
  it("opens a result by keyboard alone", async () => {
    await withPage(browser, { viewport: sizes.wide }, async (page) => {
      await openWithSearch(page, "/docs");
      await page.keyboard.type("webhook secret rotation");
      await options(page).first().waitFor();
      expect(await field(page).getAttribute("aria-expanded")).toBe("true");
      await page.keyboard.press("ArrowDown");
      const active = await field(page).getAttribute("aria-activedescendant");
      expect(await options(page).first().getAttribute("id")).toBe(active);
      expect(await options(page).first().getAttribute("aria-selected")).toBe("true");
      await vi.waitFor(async () => {
        expect(await page.locator("search [role=status]").textContent()).toMatch(/^\d+ results?$/);
      }, longWait);
      const title = await options(page).first().locator("span").first().innerText();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      expect(await options(page).count()).toBe(0);
    });
  });

  it("gets the focus from the header's link, from other pages and within the docs", async () => {
    await withPage(browser, { viewport: sizes.wide }, async (page) => {
      const link = page.getByRole("banner").getByRole("link", { name: "Search" });
      await page.goto(`${base}/pricing`);
      await link.click();
      await vi.waitFor(async () => expect(await focused(page)).toBe("search"), longWait);
      await openWithSearch(page, "/docs/replay");
      await page.keyboard.press("Tab");
      expect(await focused(page)).not.toBe("search");
      await link.click();
      expect([await focused(page), new URL(page.url()).pathname]).toEqual(["search", "/docs/replay"]);
    });
  });

  it("closes with Escape, and says if there are no results or if it fails", async () => {
    await withPage(browser, {}, async (page) => {
      await openWithSearch(page, "/docs");
      await page.keyboard.type("zzzqqq");
      await page.getByText("No results").waitFor();
      await page.keyboard.press("Escape");
      expect(await field(page).getAttribute("aria-expanded")).toBe("false");
      await page.route("**/api/v1/search?**", (route) => route.abort());
      await page.keyboard.type(" replay");
      await page.locator("search").getByText("Press Enter to try the search page").waitFor();
    });
  });

  it("shows titles and snippets as plain text", async () => {
    await withPage(browser, {}, async (page) => {
      const hostile = '<img src=x onerror="window.broken = true"><b>bold</b>';
      const hit = { id: "docs/x", surface: "page", title: hostile, url: "javascript:broken=1", snippet: hostile };
      await page.route("**/api/v1/search?**", (route) => route.fulfill({ json: { hits: [hit] } }));
      await openWithSearch(page, "/docs");
      await page.keyboard.type("anything");
      await options(page).first().waitFor();
      expect(await options(page).first().innerText()).toContain(hostile);
      expect(await options(page).locator("img, b").count()).toBe(0);
      expect(await page.evaluate(() => "broken" in window)).toBe(false);
    });
  });

  it("works without JavaScript on the results page, which shows the query as plain text", async () => {
    await withPage(browser, plain, async (page) => {
      await page.goto(`${base}/docs/quickstart`);
      await field(page).fill("rate limit");
      await page.getByRole("button", { name: "Search" }).click();
      await page.waitForURL(({ pathname }) => pathname === "/docs/search-results");
      const [first] = await page.locator("main ol a").all();
      expect(await page.locator("main").innerText()).toMatch(/\d+ results for “rate limit”/);
      await first?.click();
      await page.waitForURL(({ pathname }) => /^\/(docs(?!\/search-results)|replay)/.test(pathname));
      await page.goto(`${base}/docs/search-results?q=${encodeURIComponent("<h2>zzz</h2>")}`);
      expect(await page.locator("main").innerText()).toContain("“<h2>zzz</h2>”");
      expect(await page.getByText("No results").count()).toBe(1);
      await page.goto(`${base}/docs/search-results`);
      expect(await page.locator("h1").innerText()).toBe("Search");
    });
  });
});

describe("a page of the docs", () => {
  it("is scrolled into view in the navigation without scrolling the page", async () => {
    await withPage(browser, { viewport: sizes.wide }, async (page) => {
      const links = page.getByRole("navigation", { name: "Documentation" }).locator("a:visible");
      await page.goto(`${base}/docs`);
      await openWithSearch(page, (await links.last().getAttribute("href")) ?? "");
      const current = links.and(page.locator("[aria-current=page]"));
      const { y = 0, height = 0 } = (await current.boundingBox()) ?? {};
      expect(y).toBeGreaterThan(0);
      expect(y + height).toBeLessThanOrEqual(sizes.wide.height);
      expect(await page.evaluate(() => scrollY)).toBe(0);
    });
  });

  it("highlights code with classes only, in both color schemes, and copies it", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    await withPage(browser, { viewport: sizes.wide, permissions, colorScheme: "dark" }, async (page) => {
      await page.goto(`${base}/docs/webhooks`);
      expect(await page.locator("main pre [class^=token-]").count()).toBeGreaterThan(50);
      expect(await page.locator("main [style]").count()).toBe(0);
      const colour = () =>
        page
          .locator(".token-string")
          .first()
          .evaluate((token) => getComputedStyle(token).color);
      const dark = await colour();
      await page.emulateMedia({ colorScheme: "light" });
      expect(await colour()).not.toBe(dark);
      const block = page.locator("div:has(> pre)").first();
      await vi.waitFor(async () => {
        await block.getByRole("button").click();
        expect(await clipboard(page)).toBe(await block.locator("pre").innerText());
      }, longWait);
      await block.locator("pre").focus();
      expect(await block.locator("pre").evaluate((pre) => pre === document.activeElement)).toBe(true);
    });
  });

  it("offers its markdown by link, by button and in its head", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    await withPage(browser, { permissions }, async (page) => {
      await page.goto(`${base}/docs/replay`);
      const link = page.locator('link[rel=alternate][type="text/markdown"]');
      expect(new URL((await link.getAttribute("href")) ?? "", base).pathname).toBe("/docs/replay.md");
      const markdown = await (await fetch(`${base}/docs/replay.md`)).text();
      await vi.waitFor(async () => {
        await page.getByRole("button", { name: /Cop/ }).first().click();
        expect(await clipboard(page)).toBe(markdown);
      }, longWait);
      expect(await page.getByRole("link", { name: "View as markdown" }).getAttribute("href")).toBe("/docs/replay.md");
    });
  });

  it("marks the current heading, and links to the previous and next page", async () => {
    await withPage(browser, { viewport: sizes.wide }, async (page) => {
      await page.goto(`${base}/docs/webhooks#verifying`);
      const contents = page.getByRole("navigation", { name: "On this page" });
      await vi.waitFor(async () => {
        expect(await contents.locator("[aria-current]").allInnerTexts()).toEqual(["Verifying"]);
      }, longWait);
      const next = page.locator("a[rel=next]");
      const path = await next.getAttribute("href");
      await page.goto(`${base}${path}`);
      expect(await page.locator("a[rel=prev]").getAttribute("href")).toBe("/docs/webhooks");
      const current = page.getByRole("navigation", { name: "Documentation" }).locator("[aria-current=page]");
      expect(await current.first().getAttribute("href")).toBe(path);
    });
  });
});

type Document = { tags: { name: string }[]; paths: Record<string, Record<string, { operationId: string }>> };

describe("the API reference", () => {
  it("lists every operation of the document, and describes each on the linked page", async () => {
    const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as Document;
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    await withPage(browser, plain, async (page) => {
      await page.goto(`${base}/docs/api`);
      const hrefs = await page
        .locator("main td a, main th a")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
      expect(hrefs.map((href) => href.split("#")[1]).sort()).toEqual(ids.sort());
      for (const path of new Set(hrefs.map((href) => href.split("#")[0]))) {
        await page.goto(`${base}${path}`);
        for (const href of hrefs.filter((one) => one.startsWith(`${path}#`))) {
          expect([href, await page.locator(`section#${href.split("#")[1]} h2`).count()]).toEqual([href, 1]);
        }
        expect(await page.locator("main [style]").count()).toBe(0);
      }
    });
  });

  it("sends a request, shows a stream while it arrives, and stops it", async () => {
    await withPage(browser, { viewport: sizes.wide }, async (page) => {
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.url().includes("/api/v1/")) sent.push(JSON.stringify(request.headers()));
      });
      await page.goto(`${base}/docs/api/replay`);
      const search = page.locator("section#searchSite");
      await search.getByText("Try it").click();
      await vi.waitFor(async () => {
        await search.getByRole("button", { name: "Send" }).click();
        expect(await search.locator("form pre").innerText()).toContain('"corpus_size"');
      }, longWait);
      expect(await search.locator("form").innerText()).toContain("200 /api/v1/search?q=break+clause");

      const stream = page.locator("section#streamReplay");
      await stream.getByText("Try it").click();
      await stream.getByLabel("speed").fill("0.1");
      await stream.getByRole("button", { name: "Send" }).click();
      await stream.getByText("receiving").waitFor();
      await vi.waitFor(async () => {
        expect(await stream.locator("form pre").innerText()).toContain("event: message_start");
      }, longWait);
      await stream.getByRole("button", { name: "Stop" }).click();
      await stream.getByText("stopped", { exact: false }).first().waitFor();
      expect(await stream.locator("form").innerText()).toContain("x-replay-source");
      expect(sent.some((headers) => headers.includes("authorization"))).toBe(false);
    });
  });
});
