import { blockedScore } from "#lib/contract/blocked-content";
import { findDiffMoves, type HunkPage, pageHunks } from "./page-hunks";
import { type FlaggedLines, type ShownHunk, showHunks } from "./show-hunks";

/** Longest diff in which moved lines are marked, in characters; in longer ones they are only counted. */
const maxMarkedLength = 2_000_000;

/** A page of a diff's hunks, as pages show them. */
export type ShownDiffText = Omit<HunkPage, "hunks"> & { hunks: ShownHunk[] };

/** A finding of a security detector, without the excerpt. */
type Finding = { detector: string; points: number; line: number };

/** Returns the detectors that scored a line of a version, by line number; empty for a version that is not dangerous. */
export function flagLines(score: number, findings: readonly Finding[]): ReadonlyMap<number, string[]> {
  const lines = new Map<number, string[]>();
  if (score < blockedScore) return lines;
  for (const { detector, points, line } of findings) {
    const known = lines.get(line) ?? [];
    if (points > 0 && !known.includes(detector)) lines.set(line, [...known, detector]);
  }
  return lines;
}

type ShowOptions = { page: number; linesMoved: number; flagged: FlaggedLines | undefined };

/** Returns a page of a unified diff, with moved blocks and changed words marked. */
export function showDiffText(text: string, { page, linesMoved, flagged }: ShowOptions): ShownDiffText {
  const { hunks, ...rest } = pageHunks(text, page);
  const isMarked = linesMoved > 0 && text.length <= maxMarkedLength;
  return { ...rest, hunks: showHunks(hunks, isMarked ? findDiffMoves(text) : [], flagged) };
}
