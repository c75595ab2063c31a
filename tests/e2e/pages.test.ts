import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openBrowser } from "#tests/support/browser";

const root = resolve(import.meta.dirname, "../..");
const screenshots = join(root, ".tapedeck/screenshots");
const docs = readdirSync(join(root, "content/docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `/docs/${name.replaceAll("\\", "/").replace(/\.md$/, "")}`.replace(/\/index$/, ""));
const paths = ["/", ...docs, "/welcome", "/pricing/cancelled", "/nothing-here"];

let browser: Browser;
beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function withPage<T>(options: BrowserContextOptions, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext(options);
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };

describe.each(paths)("%s", (path) => {
  it("shows itself whole at 1280 and 390 pixels, light and dark, without errors and from its own origin alone", async () => {
    await withPage({}, async (page) => {
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("request", (request) => {
        if (!request.url().startsWith(inject("baseUrl"))) problems.push(`left the origin: ${request.url()}`);
      });
      await page.goto(`${inject("baseUrl")}${path}`, { waitUntil: "load" });
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      expect(await page.locator("h1").count()).toBe(1);
      for (const [name, viewport] of Object.entries(sizes)) {
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect([path, name, overflow <= 0]).toEqual([path, name, true]);
          const file = `${path.replaceAll("/", "_") || "home"}-${name}-${colorScheme}.png`;
          await page.screenshot({ path: join(screenshots, file) });
        }
      }
      expect(problems).toEqual([]);
    });
  });

  it("has no accessibility findings", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await withPage({ viewport: sizes.wide, colorScheme }, async (page) => {
        await page.goto(`${inject("baseUrl")}${path}`);
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      });
    }
  });

  it("reads without JavaScript", async () => {
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${inject("baseUrl")}${path}`);
      expect((await page.locator("main").innerText()).length).toBeGreaterThan(30);
    });
  });
});

describe("links", () => {
  it("all lead somewhere, in pages and in their markdown", async () => {
    const seen = new Set<string>();
    await withPage({}, async (page) => {
      for (const path of paths) {
        await page.goto(`${inject("baseUrl")}${path}`);
        const hrefs = await page
          .locator("a[href]")
          .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
        for (const href of hrefs) if (href.startsWith(inject("baseUrl"))) seen.add(href.split("#")[0] as string);
      }
    });
    expect(seen.size).toBeGreaterThan(paths.length);
    seen.delete(`${inject("baseUrl")}/nothing-here`);
    for (const href of seen) {
      const { status } = await fetch(href, { method: "HEAD", redirect: "manual" });
      expect([href, [200, 302].includes(status)]).toEqual([href, true]);
    }
    for (const path of docs) {
      const raw = await fetch(`${inject("baseUrl")}${path === "/docs" ? "/docs/index" : path}.md`);
      expect([path, raw.status, raw.headers.get("content-type")]).toEqual([path, 200, "text/markdown; charset=utf-8"]);
    }
  });
});

describe("an EventSource in a real browser", () => {
  it("receives every event with ids=1 and stops by itself at the end", async () => {
    const url = `${inject("baseUrl")}/api/v1/replay/small-business/multilingual-guest-replies?speed=100`;
    const plain = await (await fetch(url)).text();
    const expected = [...plain.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data);
    await withPage({}, async (page) => {
      await page.goto(inject("baseUrl"));
      const received = await page.evaluate(
        (address) =>
          new Promise<string[]>((settle) => {
            const data: string[] = [];
            const source = new EventSource(address);
            for (const type of [
              "message_start",
              "ping",
              "content_block_start",
              "content_block_delta",
              "content_block_stop",
              "message_delta",
              "message_stop",
            ]) {
              source.addEventListener(type, (event) => data.push((event as MessageEvent).data));
            }
            // After the last event the browser reconnects once and hears 204, which closes it for good.
            source.addEventListener("error", () => {
              if (source.readyState === EventSource.CLOSED) settle(data);
            });
          }),
        `${url}&ids=1`,
      );
      expect(received).toEqual(expected);
    });
  });
});
