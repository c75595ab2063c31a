import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "#lib/replay/cassettes/index";
import type { SessionReport } from "./session-report";

/** Folder of what concerns one machine, such as the last run; it ignores itself in git. */
const stateFolder = ".tapedeck";
const lastRunName = "last-run.json";

export type LastRun = {
  /** Whether the command succeeded, with requests that recordings answered. What another run did not use may be needed. */
  hasPassed: boolean;
  reports: SessionReport[];
};

/** Remembers what a run came to, for `why` and `prune`. */
export async function writeLastRun(folder: string, run: LastRun): Promise<void> {
  const state = join(folder, stateFolder);
  await mkdir(state, { recursive: true });
  await writeFile(join(state, ".gitignore"), "*\n");
  await writeFileAtomically(join(state, lastRunName), `${JSON.stringify(run, null, 2)}\n`, { replace: true });
}

/** Returns what the last run came to; null if there was none. */
export async function readLastRun(folder: string): Promise<LastRun | null> {
  const text = await readFile(join(folder, stateFolder, lastRunName), "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as LastRun);
}
