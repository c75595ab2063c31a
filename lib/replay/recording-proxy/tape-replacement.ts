import { rm } from "node:fs/promises";
import { defaultTest, type Mode } from "./config";
import type { SessionReport } from "./session-report";
import { Tape } from "./tape";
import { OtherTapeError, TapeError } from "./tape-file";

/** What to do about a tape that cannot be read. */
const repairHint = "Restore it, or record it again: tapedeck run --mode record -- <command>";

/**
 * Opens the tape of a test. In mode `record`, one that cannot be read counts as empty: it is replaced when the test has
 * passed. Throws TapeError.
 */
export async function openForSession(
  folder: string,
  test: string,
  { mode, volatile }: { mode: Mode; volatile: readonly string[] },
): Promise<Tape> {
  return Tape.open(folder, test, volatile).catch((error) => {
    if (!(error instanceof TapeError) || error instanceof OtherTapeError) throw error;
    if (mode === "record") return Tape.empty(folder, test, volatile);
    throw new TapeError(`${error.message}. ${repairHint}`, { cause: error });
  });
}

/** In mode `record`, returns an empty tape that is going to replace another one. */
export async function startReplacement(tape: Tape, mode: Mode): Promise<Tape | undefined> {
  if (mode !== "record") return undefined;
  const folder = `${tape.folder}.new-${process.pid}`;
  await rm(folder, { recursive: true, force: true });
  return tape.successor(folder);
}

/** Puts a new tape in the place of the old one, and returns it with all its exchanges played. */
export async function replaceTape({ folder, test, volatile, exchanges }: Tape, by: Tape, report: SessionReport) {
  const [before, now] = [exchanges.length, by.exchanges.length];
  await by.moveTo(folder);
  if (test === defaultTest && before > 0) {
    report.notes.push(`The whole tape "${test}" was replaced. Recordings before: ${before}, now: ${now}.`);
  }
  const replaced = await Tape.open(folder, test, volatile);
  for (const exchange of replaced.exchanges) exchange.isPlayed = true;
  return replaced;
}
