import type { Page } from "@playwright/test";
import { describe, expect, inject, it } from "vitest";
import { sizes, withPage, withTab } from "#tests/support/browser";
import { eventually } from "#tests/support/eventually";
import { isExtended, itExtended } from "#tests/support/extended";

const base = inject("baseUrl");

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

describe("a page of the docs", () => {
  itExtended("is scrolled into view in the navigation without scrolling the page", async () => {
    await withTab({ viewport: sizes.wide }, async (page) => {
      const links = page.getByRole("navigation", { name: "Documentation" }).locator("a:visible");
      await page.goto(`${base}/docs`);
      await page.goto(`${base}${await links.last().getAttribute("href")}`);
      const current = links.and(page.locator("[aria-current=page]"));
      await eventually(async () => {
        const { y = 0, height = 0 } = (await current.boundingBox()) ?? {};
        expect(y).toBeGreaterThan(0);
        expect(y + height).toBeLessThanOrEqual(sizes.wide.height);
      });
      expect(await page.evaluate(() => scrollY)).toBe(0);
    });
  });

  it("highlights code with classes only, in both color schemes, and copies it", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    await withPage({ viewport: sizes.wide, permissions, colorScheme: "dark" }, async (page) => {
      await page.goto(`${base}/docs/webhooks`);
      expect(await page.locator("main pre [class^=token-]").count()).toBeGreaterThan(50);
      expect(await page.locator("main [style]").count()).toBe(0);
      const string = page.locator(".token-string").first();
      const colour = () => string.evaluate((token) => getComputedStyle(token).color);
      const dark = await colour();
      await page.emulateMedia({ colorScheme: "light" });
      expect(await colour()).not.toBe(dark);
      const block = page.locator("div:has(> pre)").first();
      await eventually(async () => {
        await block.getByRole("button").click();
        expect(await clipboard(page)).toBe(await block.locator("pre").innerText());
      });
      await block.locator("pre").focus();
      expect(await block.locator("pre").evaluate((pre) => pre === document.activeElement)).toBe(true);
    });
  });

  itExtended("offers its markdown by link, by button and in its head", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    await withPage({ permissions }, async (page) => {
      await page.goto(`${base}/docs/replay`);
      const link = page.locator('link[rel=alternate][type="text/markdown"]');
      expect(new URL((await link.getAttribute("href")) ?? "", base).pathname).toBe("/docs/replay.md");
      const markdown = await (await fetch(`${base}/docs/replay.md`)).text();
      await eventually(async () => {
        await page.getByRole("button", { name: /Cop/ }).first().click();
        expect(await clipboard(page)).toBe(markdown);
      });
      expect(await page.getByRole("link", { name: "View as markdown" }).getAttribute("href")).toBe("/docs/replay.md");
    });
  });

  itExtended("marks the current heading, and links to the previous and next page", async () => {
    await withPage({ viewport: sizes.wide }, async (page) => {
      await page.goto(`${base}/docs/webhooks#verifying`);
      const contents = page.getByRole("navigation", { name: "On this page" });
      await eventually(async () => {
        expect(await contents.locator("[aria-current]").allInnerTexts()).toEqual(["Verifying"]);
      });
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

const readPage = async (path: string) => (await fetch(`${base}${path}`)).text();

describe("the API reference", () => {
  it("lists every operation of the document, and describes each on the linked page", async () => {
    const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as Document;
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    const html = await readPage("/docs/api");
    const hrefs = [...html.matchAll(/<t[dh][^>]*>\s*<a\b[^>]*?href="([^"]*#[^"]*)"/g)].map(
      ([, href]) => href as string,
    );
    expect(hrefs.map((href) => href.split("#")[1]).sort()).toEqual(ids.sort());
    const linked = [...new Set(hrefs.map((href) => href.split("#")[0] as string))];
    for (const path of isExtended ? linked : linked.slice(0, 2)) {
      const page = await readPage(path);
      for (const href of hrefs.filter((one) => one.startsWith(`${path}#`))) {
        const sections = page.match(new RegExp(`<section[^>]* id="${href.split("#")[1]}"`, "g"));
        expect([href, sections?.length]).toEqual([href, 1]);
      }
      expect(page.replace(/<script\b.*?<\/script>/gs, "")).not.toMatch(/<[^>]* style="/);
    }
  });

  it("sends a request, shows a stream while it arrives, and stops it", async () => {
    await withPage({ viewport: sizes.wide }, async (page) => {
      const sent: string[] = [];
      page.on("request", (request) => {
        if (request.url().includes("/api/v1/")) sent.push(JSON.stringify(request.headers()));
      });
      await page.goto(`${base}/docs/api/replay`);
      const search = page.locator("section#searchSite");
      await search.getByText("Try it").click();
      await eventually(async () => {
        await search.getByRole("button", { name: "Send" }).click();
        expect(await search.locator("form pre").innerText()).toContain('"corpus_size"');
      });
      expect(await search.locator("form").innerText()).toContain("200 /api/v1/search?q=break+clause");

      const stream = page.locator("section#streamReplay");
      await stream.getByText("Try it").click();
      await stream.getByLabel("speed").fill("0.1");
      await stream.getByRole("button", { name: "Send" }).click();
      await stream.getByText("receiving").waitFor();
      await eventually(async () => {
        expect(await stream.locator("form pre").innerText()).toContain("event: message_start");
      });
      await stream.getByRole("button", { name: "Stop" }).click();
      await stream.getByText("stopped", { exact: false }).first().waitFor();
      expect(await stream.locator("form").innerText()).toContain("x-replay-source");
      expect(sent.some((headers) => headers.includes("authorization"))).toBe(false);
    });
  });
});
