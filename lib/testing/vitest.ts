import { relative } from "node:path";
import { expect, onTestFinished } from "vitest";
import { startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export type { CallFault, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

/** What is needed of the context that Vitest gives to a test. */
export type VitestContext = {
  expect: { getState(): { testPath?: string; currentTestName?: string } };
  onTestFinished(hook: (context: { task: { result?: { state: string } | undefined } }) => Promise<void>): unknown;
};

/** Starts the tape of the running test, which ends with the test. Concurrent tests pass their context. */
export async function tape({
  test,
  context = { expect, onTestFinished },
  ...options
}: TapeOptions & { context?: VitestContext } = {}): Promise<TestTape> {
  const { testPath = "", currentTestName = "" } = context.expect.getState();
  const started = await startTape(test ?? `${relative(process.cwd(), testPath)} > ${currentTestName}`, options);
  context.onTestFinished(async ({ task }) => {
    await started.end(task.result?.state !== "fail");
  });
  return started;
}
