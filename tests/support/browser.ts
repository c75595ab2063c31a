import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "@playwright/test";
import { childEnvironment } from "#lib/platform/config";
import { freePort } from "./serve";

/** The headless shell is the same browser without windows, and uses a fraction of the CPU time. */
const candidates = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Without these flags, Chromium makes network requests at every start. */
const quietFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function findChromium(): string {
  const path = childEnvironment().CHROMIUM_PATH ?? candidates.find((candidate) => existsSync(candidate));
  if (path) return path;
  throw new Error(
    "No Chromium was found: install it (Debian: apt-get install chromium-headless-shell) or set CHROMIUM_PATH.",
  );
}

/** Starts the installed browser: CHROMIUM_PATH, else the first of the usual paths that exists. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: quietFlags });
}

/** Starts the same browser with a debugging port, for another program that controls it. */
export async function openBrowserForDebugging(): Promise<{ browser: Browser; port: number }> {
  const port = await freePort();
  const args = [...quietFlags, `--remote-debugging-port=${port}`];
  return { browser: await chromium.launch({ executablePath: findChromium(), args }), port };
}

/** The two viewports in which every page is tested. */
export const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;

/** Runs `use` with a page in a new browser context. */
export async function withPage<T>(
  browser: Browser,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(options);
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}
