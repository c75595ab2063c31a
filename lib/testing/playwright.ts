import { relative } from "node:path";
import { test as base } from "@playwright/test";
import { startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export { expect } from "@playwright/test";
export type { CallFault, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

/** Playwright's `test` with the fixture `tape`; set its options with `test.use({ tapeOptions: … })`. */
export const test = base.extend<{ tapeOptions: TapeOptions; tape: TestTape }>({
  tapeOptions: [{}, { option: true }],
  tape: async ({ tapeOptions: { test: name, ...options } }, use, info) => {
    const titles = info.titlePath.slice(1).join(" ");
    const started = await startTape(name ?? `${relative(process.cwd(), info.file)} > ${titles}`, options);
    await use(started);
    await started.end(info.status === info.expectedStatus);
  },
});
