import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { describeIssue } from "#lib/platform/describe-issue";
import { codeOf, writeFileAtomically } from "#lib/replay/cassettes/index";
import { taskRunners } from "#lib/replay/interception/index";
import { requireInside } from "./inside";
import { reportSchema } from "./report";
import { TapeError } from "./tape-error";
import { parseTapeJson } from "./tape-file";

/** Folder of what concerns one machine, such as the last run; it ignores itself in git. */
const stateFolder = ".tapedeck";
const lastRunName = "last-run.json";

/** Other versions may have fields that this one does not know. */
const lastRunSchema = z.object({
  /** Whether the command succeeded, with requests that recordings answered. What another run did not use may be needed. */
  hasPassed: z.boolean(),
  /** Whether the command failed, or its calls were missed, live, or left to a cache: of a part of a run, which may make none. */
  hasFailed: z.boolean().optional(),
  /** Whether the run was of everything, so that tapes which it did not open are not needed. */
  isComplete: z.boolean().optional(),
  /** The runner of tasks that may have answered those from its cache that use the unused recordings. */
  taskRunner: z.enum(taskRunners).optional(),
  /** The folder of its tapes. */
  tapes: z.string().optional(),
  reports: z.array(reportSchema),
  /** Reports of tapes that a run of everything did not open. */
  unopened: z.array(reportSchema).optional(),
});
export type LastRun = z.infer<typeof lastRunSchema>;

/** Remembers what a run came to, for `why` and `prune`. */
export async function writeLastRun(folder: string, run: LastRun): Promise<void> {
  const state = join(folder, stateFolder);
  requireInside(folder, state);
  await mkdir(state, { recursive: true });
  await writeFileAtomically(join(state, ".gitignore"), "*\n", { replace: true });
  await writeFileAtomically(join(state, lastRunName), `${JSON.stringify(run, null, 2)}\n`, { replace: true });
}

/** Returns what the last run came to; null if there was none. Throws TapeError. */
export async function readLastRun(folder: string): Promise<LastRun | null> {
  return readRun(join(folder, stateFolder, lastRunName)).catch((error: Error) => {
    if (codeOf(error.cause) === "ENOENT") return null;
    throw error;
  });
}

/** Returns what a file says of a run. Throws TapeError. */
export async function readRun(path: string): Promise<LastRun> {
  const text = await readFile(path, "utf8").catch((cause) => {
    throw new TapeError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  });
  const result = lastRunSchema.safeParse(parseTapeJson(text, path));
  if (result.success) return result.data;
  throw new TapeError(`${path} is not a report of a run: ${describeIssue(result.error)}. Start another run`);
}
