import { randomInt } from "node:crypto";
import { compressText } from "#lib/platform/compress-text";
import { countMarks } from "./divide";
import { findMoves, type MovedBlock } from "./find-moves";
import { compareLinks, type LinkChanges } from "./links";
import { changeRuns, markChanges } from "./mark-changes";
import { type Lines, numberLines, splitLines } from "./spans";
import { type ChangedWindow, countLineFeeds, countLines, findChangedWindow } from "./text-lines";
import {
  contextAfter,
  contextBefore,
  formatRange,
  minus,
  plus,
  space,
  UnitWriter,
  writeUnified,
} from "./write-unified";

/** The difference between two versions, with its text as it is stored. */
export type ComputedDiff = Omit<TextComparison, "moved"> & { compressedText: Uint8Array<ArrayBuffer> };

/** Compares two versions of a text in the calling thread, and compresses the text of the diff. */
export async function computeDiff(before: string, after: string): Promise<ComputedDiff> {
  const { moved: _moved, ...comparison } = compareTexts(before, after);
  return { ...comparison, compressedText: await compressText(comparison.text) };
}

/** Returns a window as a single span. */
function wholeSpan(text: string, { start, end }: { start: number; end: number }): Lines {
  const [starts, ends, hashes] = [start, end, 0].map((value) => Int32Array.of(value)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  return { text, starts, ends, hashes, count: start === end ? 0 : 1 };
}

/** A diff that replaces all lines of a window. */
type Replacement = LinkChanges & { linesAdded: number; linesRemoved: number; text: string };

/** Returns the diff that replaces a window as a whole, for texts with too many lines to search. Runs in linear time. */
function replaceWhole(before: string, after: string, window: ChangedWindow, seed: number): Replacement {
  const [old, now] = [wholeSpan(before, window.before), wholeSpan(after, window.after)];
  const linesRemoved = countLines(before, window.before.start, window.before.end);
  const linesAdded = countLines(after, window.after.start, window.after.end);
  const lead = contextBefore(before, window.before.start);
  const tail = contextAfter(before, window.before.end);
  const [oldRange, newRange] = [linesRemoved, linesAdded].map((count) =>
    formatRange(window.skippedLineCount - lead.lineCount, lead.lineCount + count + tail.lineCount),
  );
  const writer = new UnitWriter();
  writer.write(`@@ -${oldRange} +${newRange} @@\n`);
  writer.writeLines(space, before, lead.start, lead.end, lead.lineCount);
  writer.writeLines(minus, before, window.before.start, window.before.end, linesRemoved);
  writer.writeLines(plus, after, window.after.start, window.after.end, linesAdded);
  writer.writeLines(space, before, tail.start, tail.end, tail.lineCount);
  const run = { beforeStart: 0, beforeEnd: old.count, afterStart: 0, afterEnd: now.count };
  return { linesAdded, linesRemoved, ...compareLinks(old, now, [run], seed), text: writer.toString() };
}

/** Differences between two versions of a text. */
export type TextComparison = {
  linesAdded: number;
  linesRemoved: number;
  /** Lines of the moved blocks; they also count as removed and as added. */
  linesMoved: number;
  moved: MovedBlock[];
  /** Absolute http(s) URLs that only the newer text has, and that only the older one has. */
  linksAdded: string[];
  linksRemoved: string[];
  /** Whether no smaller set of added and removed lines exists; false if determining that was too much work. */
  exact: boolean;
  /** Unified diff with three lines of context and no file headers; empty for equal texts. */
  text: string;
};

/** Most lines of both sides together for which equal lines are searched. */
const maxSearchedLineCount = 2_000_000;

function countWindow(before: string, after: string, window: ChangedWindow): number {
  const { before: old, after: now } = window;
  return countLineFeeds(before, old.start, old.end) + countLineFeeds(after, now.start, now.end);
}

/**
 * Compares two versions of a text by lines (Myers) and by links. Lines end at line feeds only, so that applying the diff
 * restores every carriage return. If the shortest diff would be too much work, the result is a correct but possibly
 * longer one, and `exact` is false. Work is counted rather than timed: the same texts always have the same diff.
 */
export function compareTexts(before: string, after: string): TextComparison {
  if (before === after) {
    return {
      linesAdded: 0,
      linesRemoved: 0,
      linesMoved: 0,
      moved: [],
      linksAdded: [],
      linksRemoved: [],
      exact: true,
      text: "",
    };
  }
  const window = findChangedWindow(before, after);
  const seed = randomInt(2 ** 32) | 0;
  if (countWindow(before, after, window) > maxSearchedLineCount) {
    return { linesMoved: 0, moved: [], exact: false, ...replaceWhole(before, after, window, seed) };
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
    text: writeUnified(beforeLines, afterLines, runs, {
      lineCount: window.skippedLineCount,
      length: window.before.start,
    }),
  };
}
