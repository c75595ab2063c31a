import { randomInt } from "node:crypto";
import { compareLinks, type LinkChanges } from "./compare-links";
import { findMoves, type MovedBlock } from "./find-moves";
import { changeRuns, markChanges } from "./mark-changes";
import { type Lines, numberLines, splitLines } from "./spans";
import { type ChangedWindow, countLineFeeds, countLines, findChangedWindow } from "./text-lines";
import { contextLineCount, noNewlineMark, UnitWriter, writeUnified } from "./write-unified";

const [plus, minus] = [43, 45];

/** A window as a single piece. */
function wholeOf(text: string, { start, end }: { start: number; end: number }): Lines {
  const [starts, ends, hashes] = [start, end, 0].map((value) => Int32Array.of(value)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  return { text, starts, ends, hashes, count: start === end ? 0 : 1 };
}

/** GNU's numbering: an empty range is named by the line in front of it. */
function range(skippedLineCount: number, lineCount: number): string {
  return `${skippedLineCount + (lineCount === 0 ? 0 : 1)},${lineCount}`;
}

function write(writer: UnitWriter, prefix: number, { text, starts, ends, count }: Lines, lineCount: number): void {
  if (count === 0) return;
  const end = ends[0]!;
  writer.writeLines(prefix, text, starts[0]!, end, lineCount);
  if (text[end - 1] !== "\n") writer.write(`\n${noNewlineMark}\n`);
}

/** What takes a window's old lines out and puts all of the new ones in, in time proportional to their length. */
type Replacement = LinkChanges & { linesAdded: number; linesRemoved: number; text: string };

/** Replaces a window as a whole: for texts of more lines than are worth a search. */
function replaceWhole(before: string, after: string, window: ChangedWindow, seed: number): Replacement {
  const [old, now] = [wholeOf(before, window.before), wholeOf(after, window.after)];
  const linesRemoved = countLines(before, window.before.start, window.before.end);
  const linesAdded = countLines(after, window.after.start, window.after.end);
  const { skippedLineCount } = window;
  const writer = new UnitWriter();
  writer.write(`@@ -${range(skippedLineCount, linesRemoved)} +${range(skippedLineCount, linesAdded)} @@\n`);
  write(writer, minus, old, linesRemoved);
  write(writer, plus, now, linesAdded);
  const run = { beforeStart: 0, beforeEnd: old.count, afterStart: 0, afterEnd: now.count };
  return { linesAdded, linesRemoved, ...compareLinks(old, now, [run], seed), text: writer.toString() };
}

/** What changed from one version of a text to the next. */
export type TextComparison = {
  linesAdded: number;
  linesRemoved: number;
  /** Lines of the moved blocks; they count as removed and as added too. */
  linesMoved: number;
  moved: MovedBlock[];
  /** Absolute http(s) URLs that only the newer text has, and that only the older one has. */
  linksAdded: string[];
  linksRemoved: string[];
  /** Whether no smaller set of added and removed lines exists; false where that was too much work to know. */
  exact: boolean;
  /** Unified diff with three lines of context and no file headers; empty for equal texts. */
  text: string;
};

/** Lines of both sides together beyond which none is looked for on the other side. */
const maxSearchedLineCount = 2_000_000;

function countWindow(before: string, after: string, window: ChangedWindow): number {
  const { before: old, after: now } = window;
  return countLineFeeds(before, old.start, old.end) + countLineFeeds(after, now.start, now.end);
}

function countMarks(marks: Uint8Array): number {
  let count = 0;
  for (const mark of marks) count += mark;
  return count;
}

/**
 * Compares two versions of a text by lines (Myers) and by links. Lines end at line feeds alone, so that applying the
 * diff gives back every carriage return. Where the shortest diff would be too much work, it is a right one
 * that may be longer, and says so. The work is counted, not timed: the same texts always have the same diff.
 */
export function compareTexts(before: string, after: string): TextComparison {
  if (before === after) {
    return {
      ...{ linesAdded: 0, linesRemoved: 0, linesMoved: 0, moved: [] },
      ...{ linksAdded: [], linksRemoved: [], exact: true, text: "" },
    };
  }
  const window = findChangedWindow(before, after, contextLineCount);
  const seed = randomInt(2 ** 32) | 0;
  if (countWindow(before, after, window) > maxSearchedLineCount) {
    return { ...{ linesMoved: 0, moved: [], exact: false }, ...replaceWhole(before, after, window, seed) };
  }
  const beforeLines = splitLines(before, window.before.start, window.before.end, seed);
  const afterLines = splitLines(after, window.after.start, window.after.end, seed);
  const ids = numberLines(beforeLines, afterLines);
  const marks = markChanges(ids);
  const runs = [...changeRuns(marks)];
  const moved = findMoves(beforeLines, ids, marks, window.skippedLineCount);
  return {
    linesAdded: countMarks(marks.added),
    linesRemoved: countMarks(marks.removed),
    linesMoved: moved.reduce((sum, { lineCount }) => sum + lineCount, 0),
    moved,
    ...compareLinks(beforeLines, afterLines, runs, seed),
    exact: marks.exact,
    text: writeUnified(beforeLines, afterLines, runs, window.skippedLineCount),
  };
}
