import * as vitest from "vitest";
import { nameFile, requireRunner, startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export type { CallFault, HandWritten, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

/** What is needed of a test or suite of Vitest. */
type Task = { id: string; name: string; tasks?: Task[] };
type RunningTask = { id: string; concurrent?: boolean | undefined; file: { tasks: Task[] } };

/** What is needed of the context that Vitest gives to a test. */
export type VitestContext = {
  expect: { getState(): { testPath?: string; currentTestName?: string } };
  onTestFinished(hook: (context: { task: { result?: { state: string } | undefined } }) => Promise<void>): unknown;
  task?: RunningTask;
};

/** Returns the tests below some tasks with their whole names, in the order in which the file defines them. */
function testsOf(tasks: readonly Task[], suite = ""): { id: string; name: string }[] {
  return tasks.flatMap(({ id, name, tasks: children }) =>
    children ? testsOf(children, `${suite}${name} > `) : [{ id, name: suite + name }],
  );
}

/** Returns the name of a test in its file: the second one of a name, such as a case of `test.each`, gets ` (2)`. */
function nameInFile(name: string, { id, file }: RunningTask): string {
  const tests = testsOf(file.tasks);
  const number = tests.filter((test) => test.name === name).findIndex((test) => test.id === id) + 1;
  return number > 1 ? `${name} (${number})` : name;
}

/** Returns the running test. Vitest before 4.1 exports the function from elsewhere. */
async function runningTask(): Promise<RunningTask | undefined> {
  const { getCurrentTest } = vitest.TestRunner ?? (await import("vitest/suite"));
  return getCurrentTest();
}

/** Starts the tape of the running test, which ends with the test. Concurrent tests pass their context. */
export async function tape({
  test,
  context: given,
  ...options
}: TapeOptions & { context?: VitestContext } = {}): Promise<TestTape> {
  requireRunner("Vitest", vitest.expect);
  const context: VitestContext = given ?? vitest;
  const { testPath = "", currentTestName = "" } = context.expect.getState();
  const task = given?.task ?? (await runningTask());
  // Outside of its context, a concurrent test is not told from the others that run.
  if (!given && task?.concurrent) throw new Error("A concurrent test passes its context: tape({ context }).");
  const name = task ? nameInFile(currentTestName, task) : currentTestName;
  const started = await startTape(test ?? `${nameFile(testPath)} > ${name}`, options);
  context.onTestFinished(async ({ task }) => {
    await started.end(task.result?.state !== "fail");
  });
  return started;
}
