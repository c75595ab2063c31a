import {
  type Browser,
  type BrowserContext,
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestInfo,
  type TestType,
} from "@playwright/test";
import { currentMark, nameFile, startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export { expect } from "@playwright/test";
export type { CallFault, HandWritten, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

type Fixtures = { tapeOptions: TapeOptions; tape: TestTape };
type Given = { info: TestInfo; options: TapeOptions };

/** Names of this machine in URLs. */
const ownHosts = ["localhost", "127.0.0.1", "[::1]"];

/** The browser of this worker. */
let browser: Browser | undefined;

/** Marks the requests of a context's pages to this machine. A cookie needs no preflights, and no redirect takes it elsewhere. */
async function markRequests(context: BrowserContext): Promise<void> {
  const value = currentMark();
  if (value === undefined) return;
  const cookie = { name: "tapedeck-mark", value, httpOnly: true, sameSite: "Lax" as const };
  await context.addCookies(ownHosts.map((host) => ({ ...cookie, url: `http://${host}` })));
}

/** Marks the requests of every context that a browser opens. */
function markContexts(opened: Browser): void {
  const { newContext } = opened;
  opened.newContext = async (...args) => {
    const context = await newContext.apply(opened, args);
    const { clearCookies } = context;
    context.clearCookies = async (...which) => {
      await clearCookies.apply(context, which);
      await markRequests(context);
    };
    await markRequests(context);
    return context;
  };
}

async function withTape({ info, options: { test: name, ...options } }: Given, use: (tape: TestTape) => Promise<void>) {
  const started = await startTape(name ?? `${nameFile(info.file)} > ${info.titlePath.slice(1).join(" ")}`, options);
  // Contexts of `beforeAll` are open already.
  if (options.app) await Promise.all(browser?.contexts().map(markRequests) ?? []);
  await use(started);
  await started.end(info.status === info.expectedStatus, info.expectedStatus !== "passed");
}

/** Playwright's `test` with the fixture `tape`; set its options with `test.use({ tapeOptions: … })`. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & Fixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = base.extend<Fixtures & { tapeOfOptions: TestTape | null }>({
  tapeOptions: [{}, { option: true }],
  // A test that sets options has a tape although it does not ask for the fixture.
  tapeOfOptions: [
    ({ tapeOptions: options }, use, info) =>
      Object.keys(options).length > 0 ? withTape({ info, options }, use) : use(null),
    { auto: true },
  ],
  tape: ({ tapeOfOptions, tapeOptions: options }, use, info) =>
    tapeOfOptions ? use(tapeOfOptions) : withTape({ info, options }, use),
  browser: [
    async ({ browser: opened }, use) => {
      browser = opened;
      markContexts(opened);
      await use(opened);
      browser = undefined;
    },
    { scope: "worker" },
  ],
});
