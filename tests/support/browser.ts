import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "@playwright/test";
import { childEnvironment } from "#lib/platform/config";
import { freePort } from "./serve";

/** The shell is the same browser without windows, at a fraction of the processor time: what runs headless elsewhere, too. */
const candidates = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Flags without which Chromium talks to the outside at every start. */
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

/** The browser of the machine: CHROMIUM_PATH, else the first of the usual places. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: quietFlags });
}

/** The same browser with a port for another program that drives it. */
export async function openBrowserForDebugging(): Promise<{ browser: Browser; port: number }> {
  const port = await freePort();
  const args = [...quietFlags, `--remote-debugging-port=${port}`];
  return { browser: await chromium.launch({ executablePath: findChromium(), args }), port };
}

/** The two widths at which every page has to look right. */
export const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;

/** Uses a page in a context of its own. */
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
