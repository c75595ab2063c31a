import { randomInt } from "node:crypto";
import { findMoves, type MovedBlock } from "../compare/find-moves";
import { type HunkHeader, type HunkLine, visitUnified } from "../compare/read-unified";
import { numberLines, splitLines } from "../compare/spans";

/** Most lines on a page. */
export const maxPageLineCount = 400;

/** A hunk, or the part of a long hunk that is on a page. */
export type HunkPart = HunkHeader & { lines: HunkLine[]; isContinued: boolean };

export type HunkPage = {
  hunks: HunkPart[];
  /** Counts from 1. */
  page: number;
  pageCount: number;
  hunkCount: number;
  lineCount: number;
};

function countHunkLines(diffText: string): number[] {
  const counts: number[] = [];
  visitUnified(diffText, {
    hunk: () => counts.push(0),
    line: () => {
      counts[counts.length - 1]! += 1;
    },
  });
  return counts;
}

/** Returns the index of each page's first line. Hunks are not divided unless they are longer than a page. */
function pageStarts(counts: readonly number[]): number[] {
  const starts = [0];
  let [line, used] = [0, 0];
  for (const count of counts) {
    if (used > 0 && used + count > maxPageLineCount) {
      starts.push(line);
      used = 0;
    }
    for (let cut = maxPageLineCount; cut < count; cut += maxPageLineCount) starts.push(line + cut);
    used = count > maxPageLineCount ? ((count - 1) % maxPageLineCount) + 1 : used + count;
    line += count;
  }
  return starts;
}

/** Returns the hunks on the lines of a diff from `from` up to but not including `to`. Reads the text once. */
function readHunks(diffText: string, from: number, to: number): HunkPart[] {
  const hunks: HunkPart[] = [];
  let header: HunkHeader = { oldStart: 0, oldLines: 0, newStart: 0, newLines: 0 };
  let [index, within] = [0, 0];
  visitUnified(diffText, {
    hunk: (given) => {
      header = given;
      within = 0;
    },
    line: (line) => {
      if (index >= from && index < to) {
        if (within === 0 || index === from) hunks.push({ ...header, lines: [], isContinued: within > 0 });
        hunks.at(-1)!.lines.push(line);
      }
      index++;
      within++;
    },
  });
  return hunks;
}

/** Returns a page of a unified diff's hunks: the last one if a later one is requested. Throws UnifiedError. */
export function pageHunks(diffText: string, requestedPage: number): HunkPage {
  const counts = countHunkLines(diffText);
  const lineCount = counts.reduce((sum, count) => sum + count, 0);
  const starts = pageStarts(counts);
  const page = Math.min(Math.max(1, requestedPage), starts.length);
  const hunks = readHunks(diffText, starts[page - 1]!, starts[page] ?? lineCount);
  return { hunks, page, pageCount: starts.length, hunkCount: counts.length, lineCount };
}

/** One side of a diff as a text, with a line between hunks that is never marked as changed. */
class Side {
  readonly #lines: string[] = [];
  readonly #marks: number[] = [];
  readonly #numbers: number[] = [];

  startHunk(): void {
    if (this.#lines.length > 0) this.add("\n", false, 0);
  }

  add(text: string, isChanged: boolean, number: number): void {
    this.#lines.push(text);
    this.#marks.push(isChanged ? 1 : 0);
    this.#numbers.push(number);
  }

  split(seed: number) {
    const text = this.#lines.join("");
    return splitLines(text, 0, text.length, seed);
  }

  get marks(): Uint8Array {
    return Uint8Array.from(this.#marks);
  }

  numberOf(line: number): number {
    return this.#numbers[line - 1]!;
  }
}

/** Returns the moved blocks of a unified diff: the same ones that comparing the two texts found. */
export function findDiffMoves(diffText: string): MovedBlock[] {
  const [before, after] = [new Side(), new Side()];
  visitUnified(diffText, {
    hunk: () => {
      before.startHunk();
      after.startHunk();
    },
    line: ({ kind, text, oldLine, newLine, isTerminated }) => {
      const whole = isTerminated ? `${text}\n` : text;
      if (oldLine !== null) before.add(whole, kind === "removed", oldLine);
      if (newLine !== null) after.add(whole, kind === "added", newLine);
    },
  });
  const seed = randomInt(2 ** 32) | 0;
  const [beforeLines, afterLines] = [before.split(seed), after.split(seed)];
  const marks = { removed: before.marks, added: after.marks, exact: true };
  return findMoves(beforeLines, numberLines(beforeLines, afterLines), marks, 0).map(
    ({ fromLine, toLine, lineCount }) => ({
      fromLine: before.numberOf(fromLine),
      toLine: after.numberOf(toLine),
      lineCount,
    }),
  );
}
