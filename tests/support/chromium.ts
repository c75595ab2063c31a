import { existsSync } from "node:fs";
import { type Browser, chromium } from "@playwright/test";
import { childEnvironment } from "#lib/platform/config";
import { freePort } from "./serve";

/** The headless shell is the same browser without windows, and uses a fraction of the CPU time. */
const candidates = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** With fewer processes, a page takes a tenth less CPU time. Contexts stay apart. */
const processFlags = ["--in-process-gpu", "--renderer-process-limit=1"];

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

export function findChromium(): string {
  const path = childEnvironment().CHROMIUM_PATH ?? candidates.find((candidate) => existsSync(candidate));
  if (path) return path;
  throw new Error(
    "No Chromium was found: install it (Debian: apt-get install chromium-headless-shell) or set CHROMIUM_PATH.",
  );
}

/** Starts the installed browser: CHROMIUM_PATH, else the first of the usual paths that exists. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: [...quietFlags, ...processFlags], timeout: 0 });
}

/** Starts the same browser with a debugging port, for another program that controls it. */
export async function openBrowserForDebugging(): Promise<{ browser: Browser; port: number }> {
  const port = await freePort();
  const args = [...quietFlags, `--remote-debugging-port=${port}`];
  return { browser: await chromium.launch({ executablePath: findChromium(), args, timeout: 0 }), port };
}
