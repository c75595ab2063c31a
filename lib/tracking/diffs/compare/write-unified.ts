import type { ChangeRun } from "./change-runs";
import type { Lines } from "./line-ids";
import { UnitWriter } from "./unit-writer";

/** Equal lines around each change. */
export const contextLineCount = 3;

export const noNewlineMark = "\\ No newline at end of file";

const [space, plus, minus] = [32, 43, 45];

function write(writer: UnitWriter, prefix: number, { text, starts, ends }: Lines, start: number, end: number): void {
  if (start === end) return;
  const [from, to] = [starts[start]!, ends[end - 1]!];
  writer.writeLines(prefix, text, from, to, end - start);
  if (text[to - 1] !== "\n") writer.write(`\n${noNewlineMark}\n`);
}

/** GNU's numbering: an empty range is named by the line in front of it. */
function range(start: number, end: number): string {
  return `${start === end ? start : start + 1},${end - start}`;
}

/** Where the hunk ends that starts with run `first`: its runs share their context. */
function endOfHunk(runs: readonly ChangeRun[], first: number): number {
  let next = first + 1;
  while (next < runs.length && runs[next]!.beforeStart - runs[next - 1]!.beforeEnd <= 2 * contextLineCount) next++;
  return next;
}

/**
 * Writes a unified diff without file headers from the runs of changed lines, in order. `skippedLineCount` is how many
 * equal lines stand in front of both sides' first.
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
    const old = range(skippedLineCount + first.beforeStart - lead, skippedLineCount + last.beforeEnd + tail);
    const now = range(skippedLineCount + first.afterStart - lead, skippedLineCount + last.afterEnd + tail);
    writer.write(`@@ -${old} +${now} @@\n`);
    let written = first.beforeStart - lead;
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
