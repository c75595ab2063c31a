import type { ChangeMarks } from "./mark-changes";
import { absentId, type LineIds, type Lines } from "./spans";

/** Lines removed in one place and added in another; line numbers count from 1. */
export type MovedBlock = { fromLine: number; toLine: number; lineCount: number };

/** Fewest letters and digits that distinguish a moved block from coincidence: of several lines, and of a single line. */
const minBlockLetterCount = 20;
const minLineLetterCount = 40;

/** Counts letters and digits of a line, up to `limit`; non-ASCII code units count as letters. */
function countLetters({ text, starts, ends }: Lines, line: number, limit: number): number {
  let count = 0;
  const end = ends[line]!;
  for (let index = starts[line]!; index < end && count < limit; index++) {
    const unit = text.charCodeAt(index);
    const isDigit = unit >= 48 && unit <= 57;
    const isLetter = (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);
    if (isDigit || isLetter || unit >= 128) count++;
  }
  return count;
}

function isDistinctive(lines: Lines, start: number, end: number): boolean {
  const needed = end - start > 1 ? minBlockLetterCount : minLineLetterCount;
  let count = 0;
  for (let line = start; line < end && count < needed; line++) count += countLetters(lines, line, needed);
  return count >= needed;
}

/** Returns for each id how often it occurs among the marked lines (2 for more), and its last position. */
function countMarked(ids: Int32Array, marks: Uint8Array, idCount: number) {
  const counts = new Uint8Array(idCount);
  const positions = new Int32Array(idCount);
  for (let line = 0; line < ids.length; line++) {
    const id = ids[line]!;
    if (marks[line] !== 1 || id === absentId) continue;
    if (counts[id]! < 2) counts[id]!++;
    positions[id] = line;
  }
  return { counts, positions };
}

/**
 * Returns blocks of removed lines that occur among the added ones, in the order of their old position. Each block grows
 * from a line that was removed once and added once, as far as its neighbours match.
 */
export function findMoves(before: Lines, ids: LineIds, marks: ChangeMarks, skippedLineCount: number): MovedBlock[] {
  const { removed, added } = marks;
  const removedCounts = countMarked(ids.before, removed, ids.idCount);
  const addedCounts = countMarked(ids.after, added, ids.idCount);
  const isTaken = new Uint8Array(added.length);
  const fits = (from: number, to: number) =>
    removed[from] === 1 && added[to] === 1 && isTaken[to] === 0 && ids.before[from] === ids.after[to];
  const blocks: MovedBlock[] = [];
  let free = 0;
  for (let line = 0; line < removed.length; line++) {
    const id = ids.before[line]!;
    if (removed[line] !== 1 || removedCounts.counts[id] !== 1 || addedCounts.counts[id] !== 1) continue;
    const position = addedCounts.positions[id]!;
    if (isTaken[position] === 1) continue;
    let start = line;
    while (start > free && fits(start - 1, position - (line - start) - 1)) start--;
    let end = line + 1;
    while (fits(end, position + (end - line))) end++;
    const to = position - (line - start);
    if (isDistinctive(before, start, end)) {
      blocks.push({
        fromLine: skippedLineCount + start + 1,
        toLine: skippedLineCount + to + 1,
        lineCount: end - start,
      });
      isTaken.fill(1, to, to + end - start);
      free = end;
    }
    line = end - 1;
  }
  return blocks;
}
