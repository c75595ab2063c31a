import type { ChangedWindow } from "./changed-window";
import { compareLinks, type LinkChanges } from "./compare-links";
import { countLines } from "./count-lines";
import type { Lines } from "./line-ids";
import { UnitWriter } from "./unit-writer";
import { noNewlineMark } from "./write-unified";

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
export type Replacement = LinkChanges & { linesAdded: number; linesRemoved: number; text: string };

/** Replaces a window as a whole: for texts of more lines than are worth a search. */
export function replaceWhole(before: string, after: string, window: ChangedWindow, seed: number): Replacement {
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
