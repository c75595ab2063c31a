import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { expect } from "vitest";
import { openBrowser } from "./chromium";

/** The two viewports in which every page is tested. */
export const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;

/** The browser of a worker, which all of its test files use. It ends with the worker. */
let shared: Promise<Browser> | undefined;

/** Opens a context whose waits end with the test, not before: a busy machine is slow without being wrong. */
async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  shared ??= openBrowser();
  const context = await (await shared).newContext(options);
  context.setDefaultTimeout(0);
  return context;
}

/** Runs `use` with a page in a new browser context. */
export async function withPage<T>(options: BrowserContextOptions, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await openContext(options);
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

/** What a tab can change, and whether it runs scripts, which it cannot. */
export type TabOptions = Pick<
  BrowserContextOptions,
  "javaScriptEnabled" | "viewport" | "colorScheme" | "reducedMotion"
>;

/** Playwright's viewport. */
const usualSize = { width: 1280, height: 720 };

/** What tests listen for. */
const listenedEvents = ["console", "pageerror", "request", "response"];

/** The tabs of a test file that are free, with and without JavaScript. */
let freeTabs: { file: string | undefined; scripted: Page[]; plain: Page[] } = {
  file: undefined,
  scripted: [],
  plain: [],
};

async function closeTabs(tabs: readonly Page[]): Promise<void> {
  await Promise.all(tabs.map((tab) => tab.context().close()));
}

/**
 * Runs `use` with a tab that earlier tests of the file may have used, which takes half the CPU time of a new one. For
 * tests that leave nothing behind: cookies, what pages store, functions for pages and changed answers need `withPage`, and
 * so does a first address with a fragment, which would not load a page that is open already.
 */
export async function withTab<T>(options: TabOptions, use: (page: Page) => Promise<T>): Promise<T> {
  const { javaScriptEnabled = true, viewport = null, colorScheme = null, reducedMotion = null } = options;
  const file = expect.getState().testPath;
  if (freeTabs.file !== file) {
    const { scripted, plain } = freeTabs;
    freeTabs = { file, scripted: [], plain: [] };
    await closeTabs([...scripted, ...plain]);
  }
  const tabs = javaScriptEnabled ? freeTabs.scripted : freeTabs.plain;
  const page = tabs.pop() ?? (await (await openContext({ javaScriptEnabled })).newPage());
  await page.setViewportSize(viewport ?? usualSize);
  await page.emulateMedia({ media: null, colorScheme, reducedMotion });
  try {
    const result = await use(page);
    for (const event of listenedEvents) page.removeAllListeners(event);
    await page.unrouteAll();
    tabs.push(page);
    return result;
  } catch (error) {
    await page.context().close();
    throw error;
  }
}
