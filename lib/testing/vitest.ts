import { relative } from "node:path";
import { expect, onTestFinished } from "vitest";
import { startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export type { CallFault, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

/** Starts the tape of the running test, which ends with the test. Concurrent tests give their name as `test`. */
export async function tape({ test, ...options }: TapeOptions = {}): Promise<TestTape> {
  const { testPath = "", currentTestName = "" } = expect.getState();
  const started = await startTape(test ?? `${relative(process.cwd(), testPath)} > ${currentTestName}`, options);
  onTestFinished(async ({ task }) => {
    await started.end(task.result?.state !== "fail");
  });
  return started;
}
