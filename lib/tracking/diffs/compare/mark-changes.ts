import { type Alignment, alignIds } from "./align";
import { absentId, type LineIds } from "./spans";

/** Marks of the lines of each side: 1 for removed or added, 0 for kept. */
export type ChangeMarks = { removed: Uint8Array; added: Uint8Array; exact: boolean };

/** Finds a common subsequence of two sequences, as long as possible. */
type Align = (before: Int32Array, after: Int32Array) => Alignment;

function unmarked(marks: Uint8Array): Int32Array {
  let count = 0;
  for (const mark of marks) count += 1 - mark;
  const lines = new Int32Array(count);
  let next = 0;
  for (let line = 0; line < marks.length; line++) if (marks[line] === 0) lines[next++] = line;
  return lines;
}

/**
 * Returns the smallest set of removed and added lines. Lines that the other side lacks are marked without a search, which
 * leaves few lines of most texts; a longest common subsequence of the rest is one of the whole. If that was too much
 * work, `exact` is false: the marks are correct, but may not be the fewest.
 */
export function markChanges(ids: LineIds, align: Align = alignIds): ChangeMarks {
  const removed = new Uint8Array(ids.before.length);
  const added = new Uint8Array(ids.after.length);
  const isShared = new Uint8Array(ids.idCount);
  for (let line = 0; line < added.length; line++) {
    const id = ids.after[line]!;
    if (id === absentId) added[line] = 1;
    else isShared[id] = 1;
  }
  for (let line = 0; line < removed.length; line++) if (isShared[ids.before[line]!] === 0) removed[line] = 1;

  const beforeLines = unmarked(removed);
  const afterLines = unmarked(added);
  const alignment = align(
    beforeLines.map((line) => ids.before[line]!),
    afterLines.map((line) => ids.after[line]!),
  );
  for (let index = 0; index < beforeLines.length; index++) {
    if (alignment.removed[index] === 1) removed[beforeLines[index]!] = 1;
  }
  for (let index = 0; index < afterLines.length; index++) {
    if (alignment.added[index] === 1) added[afterLines[index]!] = 1;
  }
  return { removed, added, exact: alignment.exact };
}

/** Replaced lines: a range of each side, one of which may be empty. */
export type ChangeRun = { beforeStart: number; beforeEnd: number; afterStart: number; afterEnd: number };

/** Yields the runs of marked lines in order. The unmarked lines between them are equal on both sides. */
export function* changeRuns({ removed, added }: ChangeMarks): Generator<ChangeRun> {
  let beforeLine = 0;
  let afterLine = 0;
  while (beforeLine < removed.length || afterLine < added.length) {
    const run = { beforeStart: beforeLine, beforeEnd: beforeLine, afterStart: afterLine, afterEnd: afterLine };
    while (run.beforeEnd < removed.length && removed[run.beforeEnd] === 1) run.beforeEnd++;
    while (run.afterEnd < added.length && added[run.afterEnd] === 1) run.afterEnd++;
    if (run.beforeEnd > beforeLine || run.afterEnd > afterLine) yield run;
    beforeLine = run.beforeEnd + 1;
    afterLine = run.afterEnd + 1;
  }
}
