import type { ChangeRun } from "./mark-changes";
import type { Lines } from "./spans";
import { countLines, linesBack, linesOn } from "./text-lines";

/** Collects text as UTF-16 code units, which is many times faster than joining strings for millions of lines. */
export class UnitWriter {
  #units = new Uint16Array(4_096);
  #length = 0;

  #reserve(count: number): void {
    if (this.#length + count <= this.#units.length) return;
    const larger = new Uint16Array(Math.max(this.#units.length * 2, this.#length + count));
    larger.set(this.#units.subarray(0, this.#length));
    this.#units = larger;
  }

  write(text: string): void {
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index++) this.#units[this.#length++] = text.charCodeAt(index);
  }

  /**
   * Writes a range of a text with `lineCount` lines, each after a prefix of one code unit, and the mark of a last line
   * without a line feed.
   */
  writeLines(prefix: number, text: string, start: number, end: number, lineCount: number): void {
    if (start === end) return;
    this.#reserve(end - start + lineCount);
    const units = this.#units;
    let length = this.#length;
    let startsLine = true;
    for (let index = start; index < end; index++) {
      if (startsLine) units[length++] = prefix;
      const unit = text.charCodeAt(index);
      units[length++] = unit;
      startsLine = unit === 10;
    }
    this.#length = length;
    if (!startsLine) this.write(`\n${noNewlineMark}\n`);
  }

  toString(): string {
    return Buffer.from(this.#units.buffer, 0, this.#length * 2).toString("utf16le");
  }
}

/** Unchanged lines around each change. */
const contextLineCount = 3;

export const noNewlineMark = "\\ No newline at end of file";

/** Prefixes of the lines of a diff, as code units. */
export const [space, plus, minus] = [32, 43, 45];

function write(writer: UnitWriter, prefix: number, { text, starts, ends }: Lines, start: number, end: number): void {
  if (start === end) return;
  writer.writeLines(prefix, text, starts[start]!, ends[end - 1]!, end - start);
}

/** Formats a range as GNU diff does: an empty range is named by the line before it. */
export function formatRange(skippedLineCount: number, lineCount: number): string {
  return `${skippedLineCount + (lineCount === 0 ? 0 : 1)},${lineCount}`;
}

/** Returns the end of the hunk that starts with run `first`. Runs whose context overlaps share a hunk. */
function endOfHunk(runs: readonly ChangeRun[], first: number): number {
  let next = first + 1;
  while (next < runs.length && runs[next]!.beforeStart - runs[next - 1]!.beforeEnd <= 2 * contextLineCount) next++;
  return next;
}

/** Unchanged lines of a text next to a change, which may be outside of the compared lines. */
type Context = { start: number; end: number; lineCount: number };

function contextOf(text: string, start: number, end: number): Context {
  return { start, end, lineCount: countLines(text, start, end) };
}

/** Returns up to `contextLineCount` lines of a text before the line start `at`. */
export const contextBefore = (text: string, at: number): Context =>
  contextOf(text, linesBack(text, at, contextLineCount), at);

/** Returns up to `contextLineCount` lines of a text from the line start `at`. */
export const contextAfter = (text: string, at: number): Context =>
  contextOf(text, at, linesOn(text, at, contextLineCount));

/** Position of a line in its text; of the line after the last one for `lines.count`. */
function positionOf({ starts, ends, count }: Lines, line: number, end: number): number {
  if (line < count) return starts[line]!;
  return count > 0 ? ends[count - 1]! : end;
}

/**
 * Returns a unified diff without file headers from the runs of changed lines, in order. `skipped` is what precedes the
 * compared lines, and is equal on both sides, as are the lines that follow them. The context is read from the whole text:
 * GNU patch takes short context for a change at the beginning or end of a file, and rejects it elsewhere.
 */
export function writeUnified(
  before: Lines,
  after: Lines,
  runs: readonly ChangeRun[],
  skipped: { lineCount: number; length: number },
): string {
  const writer = new UnitWriter();
  for (let index = 0; index < runs.length; ) {
    const end = endOfHunk(runs, index);
    const [first, last] = [runs[index]!, runs[end - 1]!];
    const lead = contextBefore(before.text, positionOf(before, first.beforeStart, skipped.length));
    const tail = contextAfter(before.text, positionOf(before, last.beforeEnd, skipped.length));
    const context = lead.lineCount + tail.lineCount;
    const [oldStart, newStart] = [first.beforeStart, first.afterStart].map(
      (start) => skipped.lineCount + start - lead.lineCount,
    ) as [number, number];
    const old = formatRange(oldStart, last.beforeEnd - first.beforeStart + context);
    const now = formatRange(newStart, last.afterEnd - first.afterStart + context);
    writer.write(`@@ -${old} +${now} @@\n`);
    writer.writeLines(space, before.text, lead.start, lead.end, lead.lineCount);
    let written = first.beforeStart;
    for (; index < end; index++) {
      const { beforeStart, beforeEnd, afterStart, afterEnd } = runs[index]!;
      write(writer, space, before, written, beforeStart);
      write(writer, minus, before, beforeStart, beforeEnd);
      write(writer, plus, after, afterStart, afterEnd);
      written = beforeEnd;
    }
    writer.writeLines(space, before.text, tail.start, tail.end, tail.lineCount);
  }
  return writer.toString();
}
