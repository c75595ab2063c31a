import { gzipSync } from "node:zlib";
import type { Browser, Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openBrowser, sizes, withPage } from "#tests/support/browser";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Gzipped kilobytes of the scripts that a page loads before it is idle. */
async function scriptKilobytes(page: Page, path: string): Promise<number> {
  const sizesOf: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    sizesOf.push(response.body().then((body) => gzipSync(body).byteLength));
  });
  await page.goto(`${inject("baseUrl")}${path}`, { waitUntil: "networkidle" });
  return (await Promise.all(sizesOf)).reduce((sum, size) => sum + size, 0) / 1_000;
}

function shiftOf(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((settle) => {
        let sum = 0;
        const add = (entries: PerformanceEntryList) => {
          for (const entry of entries) sum += (entry as PerformanceEntry & { value: number }).value;
        };
        const observer = new PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            add(observer.takeRecords());
            settle(sum);
          }),
        );
      }),
  );
}

const budgets = [
  ["/docs/replay", 110],
  ["/pricing", 110],
  ["/vendors", 110],
  ["/vendors/quarrydb", 110],
  ["/status", 110],
  ["/", 160],
  ["/replay/legal/nda-review", 160],
  ["/embed/legal/nda-review", 160],
] as const;

describe("a page's weight", () => {
  it.each(budgets)("%s loads at most %d kB of scripts, gzipped, and nothing shifts", async (path, budget) => {
    for (const viewport of Object.values(sizes)) {
      await withPage(browser, { viewport }, async (page) => {
        expect(await scriptKilobytes(page, path)).toBeLessThanOrEqual(budget);
        expect(await shiftOf(page)).toBeLessThan(0.01);
      });
    }
  });
});
