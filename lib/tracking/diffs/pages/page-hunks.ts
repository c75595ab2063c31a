import { type HunkHeader, type HunkLine, visitUnified } from "../compare/read-unified";

/** Lines that a page shows at most. */
export const maxPageLineCount = 400;

/** A hunk, or the part of a long one that stands on a page. */
export type HunkPart = HunkHeader & { lines: HunkLine[]; isContinued: boolean };

export type HunkPage = {
  hunks: HunkPart[];
  /** Counts from 1; one behind the last is the last. */
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

/** The line of the diff that each page starts with: hunks stay whole, unless one is longer than a page. */
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

/** The hunks that stand on the lines of a diff from `from` to before `to`; the text is read once. */
function readHunks(diffText: string, from: number, to: number): HunkPart[] {
  const hunks: HunkPart[] = [];
  let header: HunkHeader = { oldStart: 0, oldLines: 0, newStart: 0, newLines: 0 };
  let [index, within, oldLine, newLine] = [0, 0, 0, 0];
  visitUnified(diffText, {
    hunk: (given) => {
      header = given;
      within = 0;
      oldLine = given.oldStart + (given.oldLines === 0 ? 1 : 0);
      newLine = given.newStart + (given.newLines === 0 ? 1 : 0);
    },
    line: (kind, text, isTerminated) => {
      const places = { oldLine: kind === "added" ? null : oldLine++, newLine: kind === "removed" ? null : newLine++ };
      if (index >= from && index < to) {
        if (within === 0 || index === from) hunks.push({ ...header, lines: [], isContinued: within > 0 });
        hunks.at(-1)!.lines.push({ kind, text, ...places, isTerminated });
      }
      index++;
      within++;
    },
  });
  return hunks;
}

/** A page of a unified diff's hunks. Throws UnifiedError where the text is none. */
export function cutHunks(diffText: string, wantedPage: number): HunkPage {
  const counts = countHunkLines(diffText);
  const lineCount = counts.reduce((sum, count) => sum + count, 0);
  const starts = pageStarts(counts);
  const page = Math.min(Math.max(1, wantedPage), starts.length);
  const hunks = readHunks(diffText, starts[page - 1]!, starts[page] ?? lineCount);
  return { hunks, page, pageCount: starts.length, hunkCount: counts.length, lineCount };
}
