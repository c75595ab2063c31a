import { relative } from "node:path";
import { startTape } from "./index";
import type { TapeOptions, TestTape } from "./types";

export type { CallFault, Mode, SeenRequest, TapeOptions, TapeReport, TestTape } from "./types";

/** What is needed of the context that `node:test` gives to a test. */
export type NodeTestContext = {
  name: string;
  fullName?: string;
  filePath?: string | undefined;
  passed?: boolean;
  after(hook: () => Promise<void>): void;
};

/** Starts the tape of a test of `node:test`, which ends with the test. */
export async function tape(context: NodeTestContext, { test, ...options }: TapeOptions = {}): Promise<TestTape> {
  const file = context.filePath ?? process.argv[1] ?? "";
  const started = await startTape(
    test ?? `${relative(process.cwd(), file)} > ${context.fullName ?? context.name}`,
    options,
  );
  context.after(async () => {
    await started.end(context.passed !== false);
  });
  return started;
}
