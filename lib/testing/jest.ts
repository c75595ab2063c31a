import { afterEach, expect } from "@jest/globals";
import { duplicateError, nameFile, requireRunner, startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export type { CallFault, HandWritten, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

requireRunner("Jest", expect);

/** Longest wait for the end of a tape: longer than the proxy waits for answers that are still being recorded. */
const endTimeoutMs = 15_000;
/** Tests that have started a tape, by their names. A test that Jest runs again is the same object. */
const known = new Map<string, object>();
/** Tapes that have not ended, by the name of their test. */
const open = new Map<string, TestTape[]>();

function testName(): string {
  const { currentConcurrentTestName, currentTestName = "" } = expect.getState();
  return currentConcurrentTestName?.() ?? currentTestName;
}

type RunningTest = { errors: unknown[] };
type RunnerState = { currentlyRunningTest?: RunningTest | null };

/** Returns the running test; undefined if the runner does not tell. Only jest-circus, the default, does. */
function runningTest(): RunningTest | undefined {
  const global = globalThis as Record<symbol, RunnerState | undefined>;
  const key = Object.getOwnPropertySymbols(global).find(({ description }) => description === "JEST_STATE_SYMBOL");
  return (key && global[key]?.currentlyRunningTest) || undefined;
}

/** Whether the running test has passed; undefined if the runner does not tell. */
function hasPassed(): boolean | undefined {
  const test = runningTest();
  if (!test) return undefined;
  const { assertionCalls, expectedAssertionsNumber, isExpectingAssertions, suppressedErrors } = expect.getState();
  const lacksAssertions =
    (expectedAssertionsNumber ?? assertionCalls) !== assertionCalls || (isExpectingAssertions && assertionCalls === 0);
  return test.errors.length === 0 && !suppressedErrors?.length && !lacksAssertions;
}

/** Ends the tapes of the test that has just run. */
async function endTapes(): Promise<void> {
  const passed = hasPassed();
  const tapes = open.get(testName()) ?? [];
  open.delete(testName());
  if (passed !== undefined) await Promise.all(tapes.map((tape) => tape.end(passed)));
}

// Jest refuses hooks that a test defines: imported there, the tapes end with the run.
if (testName() === "") afterEach(endTapes, endTimeoutMs);

/** Starts the tape of the running test, which ends with the test; in `test.concurrent`, with the run. */
export async function tape({ test, ...options }: TapeOptions = {}): Promise<TestTape> {
  const name = testName();
  const { testPath = "", currentConcurrentTestName, currentTestIdentity } = expect.getState();
  // Older versions of Jest do not tell which concurrent test asks.
  const isSequential = currentConcurrentTestName?.() === undefined;
  const running = currentTestIdentity ? currentTestIdentity() : isSequential ? runningTest() : undefined;
  if (running && test === undefined) {
    if ((known.get(name) ?? running) !== running) throw duplicateError(name);
    known.set(name, running);
  }
  const started = await startTape(test ?? `${nameFile(testPath)} > ${name}`, options);
  open.set(name, [...(open.get(name) ?? []), started]);
  return started;
}
