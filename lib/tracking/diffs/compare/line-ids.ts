import { mix, SpanList, type Spans, SpanTable } from "./spans";

/** Lines of one side of a comparison, each with its line feed. */
export type Lines = Spans;

/** Equal lines have equal numbers; a line of `after` that `before` lacks has `absentId`. */
export type LineIds = { before: Int32Array; after: Int32Array; idCount: number };

export const absentId = -1;

const lineFeed = 10;

/** Splits a range of a text, which starts where a line starts, into its lines. */
export function splitLines(text: string, start: number, end: number, seed: number): Lines {
  const lines = new SpanList(text);
  let hash = seed;
  let lineStart = start;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    hash = mix(hash, unit);
    if (unit !== lineFeed && index + 1 < end) continue;
    lines.add(lineStart, index + 1, hash);
    lineStart = index + 1;
    hash = seed;
  }
  return lines;
}

/** Numbers the lines of both sides, which were split with the same seed. */
export function numberLines(before: Lines, after: Lines): LineIds {
  const table = new SpanTable();
  return { before: table.add(before), after: table.find(after), idCount: table.idCount };
}
