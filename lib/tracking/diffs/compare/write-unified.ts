import type { ChangeRun } from "./mark-changes";
import type { Lines } from "./spans";

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
export const contextLineCount = 3;

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

/**
 * Returns a unified diff without file headers from the runs of changed lines, in order. `skippedLineCount` is the number
 * of equal lines before the first line of either side.
 */
export function writeUnified(
  before: Lines,
  after: Lines,
  runs: readonly ChangeRun[],
  skippedLineCount: number,
): string {
  const writer = new UnitWriter();
  for (let index = 0; index < runs.length; ) {
    const end = endOfHunk(runs, index);
    const [first, last] = [runs[index]!, runs[end - 1]!];
    const lead = Math.min(contextLineCount, first.beforeStart);
    const tail = Math.min(contextLineCount, before.count - last.beforeEnd);
    const [oldStart, newStart] = [first.beforeStart - lead, first.afterStart - lead];
    const old = formatRange(skippedLineCount + oldStart, last.beforeEnd + tail - oldStart);
    const now = formatRange(skippedLineCount + newStart, last.afterEnd + tail - newStart);
    writer.write(`@@ -${old} +${now} @@\n`);
    let written = oldStart;
    for (; index < end; index++) {
      const { beforeStart, beforeEnd, afterStart, afterEnd } = runs[index]!;
      write(writer, space, before, written, beforeStart);
      write(writer, minus, before, beforeStart, beforeEnd);
      write(writer, plus, after, afterStart, afterEnd);
      written = beforeEnd;
    }
    write(writer, space, before, written, written + tail);
  }
  return writer.toString();
}
