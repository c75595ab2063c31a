import { type HunkHeader, type LineKind, visitUnified } from "./unified-lines";

/** A line of a diff; `oldLine` and `newLine` count from 1 and are null on the side that lacks the line. */
export type HunkLine = {
  kind: LineKind;
  /** Without its line feed; a carriage return in front of that belongs to it. */
  text: string;
  oldLine: number | null;
  newLine: number | null;
  /** False for a last line without a line feed. */
  isTerminated: boolean;
};

export type Hunk = HunkHeader & { lines: HunkLine[] };

/** Reads a unified diff without file headers for showing it. Throws UnifiedError where it is none. */
export function parseUnified(diffText: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [oldLine, newLine] = [0, 0];
  visitUnified(diffText, {
    hunk: (header) => {
      hunks.push({ ...header, lines: [] });
      oldLine = header.oldStart + (header.oldLines === 0 ? 1 : 0);
      newLine = header.newStart + (header.newLines === 0 ? 1 : 0);
    },
    line: (kind, text, isTerminated) => {
      hunks.at(-1)!.lines.push({
        kind,
        text,
        oldLine: kind === "added" ? null : oldLine++,
        newLine: kind === "removed" ? null : newLine++,
        isTerminated,
      });
    },
  });
  return hunks;
}
