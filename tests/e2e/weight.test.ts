import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { sizes, withTab } from "#tests/support/browser";
import { isExtended, itExtended } from "#tests/support/extended";

/** Returns each script that a page loads before it is idle. */
async function loadScripts(page: Page, path: string): Promise<Map<string, Buffer>> {
  const urls: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script") urls.push(request.url());
  });
  await page.goto(`${inject("baseUrl")}${path}`, { waitUntil: "networkidle" });
  // The browser does not keep the bodies of all responses.
  return new Map(
    await Promise.all(urls.map(async (url) => [url, await (await page.request.get(url)).body()] as const)),
  );
}

/** Kilobytes of scripts, gzipped. */
function gzippedKilobytes(scripts: Iterable<Buffer>): number {
  return [...scripts].reduce((total, script) => total + gzipSync(script).byteLength / 1_000, 0);
}

const fontDelayMs = 300;

/** Delays fonts until after the first render, as on a slow connection. */
function delayFonts(page: Page): Promise<unknown> {
  return page.route("**/*.woff2", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, fontDelayMs));
    await route.continue();
  });
}

function measureLayoutShift(page: Page): Promise<number> {
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

/** A page without scripts of its own: everything that it loads belongs to the framework. */
const barePath = "/status";
/** Maximum size of the framework's scripts, to notice growth in new versions. */
const frameworkBudget = 145;

/** Kilobytes that a page may load in addition to the framework. */
const budgets = [
  ["/docs/replay", 10],
  ["/pricing", 10],
  ["/vendors", 10],
  ["/vendors/quarrydb", 10],
  ["/", 35],
  ["/replay/legal/nda-review", 35],
  ["/embed/legal/nda-review", 35],
  ["/replay/open", 85],
] as const;

describe("a page's scripts", () => {
  let framework: Map<string, Buffer>;
  beforeAll(async () => {
    framework = await withTab({}, (page) => loadScripts(page, barePath));
  });

  it("are within the framework's budget on a page without scripts of its own", () => {
    expect(gzippedKilobytes(framework.values())).toBeLessThanOrEqual(frameworkBudget);
  });

  it("start with the hint that makes Chrome compile them while they load", async () => {
    const scripts = await withTab({}, (page) => loadScripts(page, "/replay/legal/nda-review"));
    expect(scripts.size).toBeGreaterThan(framework.size);
    for (const [url, script] of scripts) expect(script.toString(), url).toMatch(/^\/\/# allFunctionsCalledOnLoad\n\(/);
  });

  itExtended("are loaded without prefetching other pages", async () => {
    await withTab({ viewport: sizes.wide }, async (page) => {
      const requested: string[] = [];
      page.on("request", (request) => requested.push(request.url()));
      await page.goto(`${inject("baseUrl")}/replay?vertical=all`, { waitUntil: "networkidle" });
      expect(requested.length).toBeGreaterThan(10);
      expect(requested.filter((url) => url.includes("_rsc="))).toEqual([]);
    });
  });

  it.each(budgets.filter(([path]) => isExtended || path === "/docs/replay" || path === "/embed/legal/nda-review"))(
    "%s: at most %d kB in addition to the framework, gzipped, and no layout shift",
    async (path, budget) => {
      for (const viewport of isExtended ? Object.values(sizes) : [sizes.narrow]) {
        await withTab({ viewport }, async (page) => {
          await delayFonts(page);
          const scripts = await loadScripts(page, path);
          const own = [...scripts].filter(([url]) => !framework.has(url)).map(([, script]) => script);
          expect(gzippedKilobytes(own)).toBeLessThanOrEqual(budget);
          expect(await measureLayoutShift(page)).toBeLessThan(0.001);
        });
      }
    },
  );
});
