import { relative } from "node:path";
import { startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export type { CallFault, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

type JestGlobals = { expect?: { getState(): { testPath?: string; currentTestName?: string } } };

/** Starts the tape of the running test. It ends with the run, because Jest has no hook for the end of one test. */
export function tape({ test, ...options }: TapeOptions = {}): Promise<TestTape> {
  const { testPath = "", currentTestName = "" } = (globalThis as JestGlobals).expect?.getState() ?? {};
  return startTape(test ?? `${relative(process.cwd(), testPath)} > ${currentTestName}`, options);
}
