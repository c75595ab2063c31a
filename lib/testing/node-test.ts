import { duplicateError, nameFile, startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export type { CallFault, HandWritten, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

/** What is needed of the context that `node:test` gives to a test. */
export type NodeTestContext = {
  name: string;
  fullName?: string;
  filePath?: string | undefined;
  passed?: boolean;
  after(hook: () => Promise<void>): void;
  skip?(message?: string): void;
  todo?(message?: string): void;
};

/** Contexts of the tests that have started a tape, by their names. */
const known = new Map<string, NodeTestContext>();

/** Starts the tape of a test of `node:test`, which ends with the test. */
export async function tape(context: NodeTestContext, { test, ...options }: TapeOptions = {}): Promise<TestTape> {
  const file = context.filePath ?? process.argv[1] ?? "";
  const name = `${nameFile(file)} > ${context.fullName ?? context.name}`;
  if (test === undefined) {
    if ((known.get(name) ?? context) !== context) throw duplicateError(name);
    known.set(name, context);
  }
  const started = await startTape(test ?? name, options);
  let isSkipped = false;
  // The context does not tell it.
  for (const name of ["skip", "todo"] as const) {
    const mark = context[name]?.bind(context);
    if (mark)
      context[name] = (message) => {
        isSkipped = true;
        mark(message);
      };
  }
  context.after(async () => {
    await started.end(context.passed !== false, isSkipped);
  });
  return started;
}
