import { dirname } from "node:path";
import { commandLine, quoteArgument } from "#lib/platform/command-line";
import { defaultTest, type SessionOptions } from "./config";
import { keepRest } from "./keep-rest";
import type { Outcome, TestRun } from "./store-call";
import { explainFailure } from "./store-exchange";
import { Tape, type TapePlace } from "./tape";
import { removeTape } from "./tape-commit";
import { OtherTapeError, OutsideError, TapeError } from "./tape-error";
import { listAbandoned, newEnding } from "./tape-file";

/** What to do about a tape that cannot be read. */
const repairHint = (folder: string, recordCommand: string) =>
  `Restore its whole folder (after a merge: git restore -SW --source MERGE_HEAD ${quoteArgument(folder)}), or delete it. Record what it lacks: ${recordCommand}. Then remove what is not used: ${commandLine("prune")}`;

/**
 * Opens the tape of a test. In mode `record`, one that cannot be read counts as empty: it is replaced when the test has
 * passed. Throws TapeError.
 */
export async function openForSession(
  place: TapePlace,
  test: string,
  { mode, volatile, recordCommand }: Pick<SessionOptions, "mode" | "volatile" | "recordCommand">,
): Promise<Tape> {
  return Tape.open(place, test, volatile).catch((error) => {
    if (!(error instanceof TapeError) || error instanceof OtherTapeError || error instanceof OutsideError) throw error;
    if (mode === "record") return Tape.empty(place, test, volatile);
    throw new TapeError(`${error.message}. ${repairHint(place.folder, recordCommand)}`, { cause: error });
  });
}

async function removeAbandoned(above: string, root: string): Promise<void> {
  for (const folder of await listAbandoned(above, { recursive: false }))
    await removeTape(folder, root).catch(() => undefined);
}

/** Returns a function that removes what killed runs left beside a tape, once for all tapes there. Failures are ignored. */
export function abandonedRemover(root: string): (folder: string) => Promise<void> {
  const removals = new Map<string, Promise<void>>();
  return (folder) => {
    const above = dirname(folder);
    const removal = removals.get(above) ?? removeAbandoned(above, root);
    removals.set(above, removal);
    return removal;
  };
}

/** Waits until all that was added to tapes is on disk. Returns what the developer has to know. */
export async function flushTapes(tapes: readonly (Tape | undefined)[]): Promise<string[]> {
  const flushed = await Promise.allSettled(tapes.map((tape) => tape?.flush()));
  return flushed.flatMap((result) =>
    result.status === "rejected" ? [`The list of recordings was not written: ${explainFailure(result.reason)}.`] : [],
  );
}

/** Returns an empty tape that is going to replace another one. */
export async function startReplacement(tape: Tape): Promise<Tape> {
  const folder = tape.folder + newEnding(process.pid);
  await removeTape(folder, tape.root);
  return tape.successor(folder);
}

/**
 * Puts a new tape in the place of the old one, and returns it with all its exchanges played. Of a run that was stopped, what
 * the old one has and the run did not ask for stays.
 */
export async function replaceTape(tape: Tape, by: Tape, { report, options }: TestRun, outcome: Outcome) {
  const { root, folder, test, volatile, exchanges } = tape;
  const [before, now] = [exchanges.length, by.exchanges.length];
  const restCount = outcome === "stopped" ? await keepRest(tape, by, options) : 0;
  await by.moveTo(folder);
  if (restCount > 0) {
    report.notes.push(
      `It was stopped: recordings that it did not ask for stay: ${restCount}, recorded again or new: ${now}.`,
    );
  } else if (test === defaultTest && before > 0) {
    report.notes.push(`The whole tape "${test}" was replaced. Recordings before: ${before}, now: ${now}.`);
  }
  const replaced = await Tape.open({ root, folder }, test, volatile);
  for (const exchange of replaced.exchanges) exchange.isPlayed = true;
  return replaced;
}
