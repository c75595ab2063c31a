import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from "@playwright/test";
import { nameFile, startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export { expect } from "@playwright/test";
export type { CallFault, HandWritten, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

type Fixtures = { tapeOptions: TapeOptions; tape: TestTape };

/** Playwright's `test` with the fixture `tape`; set its options with `test.use({ tapeOptions: … })`. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & Fixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = base.extend<Fixtures>({
  tapeOptions: [{}, { option: true }],
  tape: async ({ tapeOptions: { test: name, ...options } }, use, info) => {
    // Else calls of the app for the tests of other workers would be on this tape.
    if (options.app && info.config.workers > 1)
      throw new Error(
        `The option app needs workers: 1 in the configuration of Playwright, which has ${info.config.workers}.`,
      );
    const titles = info.titlePath.slice(1).join(" ");
    const started = await startTape(name ?? `${nameFile(info.file)} > ${titles}`, options);
    await use(started);
    await started.end(info.status === info.expectedStatus, info.expectedStatus !== "passed");
  },
});
