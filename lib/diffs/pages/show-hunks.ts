import type { MovedBlock } from "../compare/find-moves";
import type { HunkLine } from "../compare/parse-unified";
import type { HunkPart } from "./cut-hunks";
import { shortenLine } from "./visible-text";
import { compareWords, type LinePart } from "./word-changes";

/** A line of a diff as a page shows it: bounded, and with nothing in it that does not show. */
export type ShownLine = Omit<HunkLine, "text"> & {
  parts: LinePart[];
  /** Characters that are not shown. */
  leftOutLength: number;
  /** The line of the other side that a moved line came from, or went to. */
  movedLine: number | null;
};

export type ShownHunk = Omit<HunkPart, "lines"> & { lines: ShownLine[] };

/** Moved lines by their numbers, each with its number on the other side. */
type Moves = { from: Map<number, number>; to: Map<number, number> };

function byLine(blocks: readonly MovedBlock[]): Moves {
  const moves: Moves = { from: new Map(), to: new Map() };
  for (const { fromLine, toLine, lineCount } of blocks) {
    for (let line = 0; line < lineCount; line++) {
      moves.from.set(fromLine + line, toLine + line);
      moves.to.set(toLine + line, fromLine + line);
    }
  }
  return moves;
}

function movedLine({ kind, oldLine, newLine }: HunkLine, { from, to }: Moves): number | null {
  if (kind === "removed") return from.get(oldLine!) ?? null;
  return kind === "added" ? (to.get(newLine!) ?? null) : null;
}

/** Where the run of lines of a kind ends that starts at `start`. */
function endOfRun(lines: readonly ShownLine[], start: number, kind: ShownLine["kind"]): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end;
}

/** Marks the words that changed, in the lines that stand for each other: the first removed and the first added, and so on. */
function markWords(lines: ShownLine[]): void {
  for (let start = 0; start < lines.length; ) {
    const middle = endOfRun(lines, start, "removed");
    const end = endOfRun(lines, middle, "added");
    for (let index = 0; index < Math.min(middle - start, end - middle); index++) {
      const [before, after] = [lines[start + index]!, lines[middle + index]!];
      if (before.movedLine !== null || after.movedLine !== null) continue;
      const words = compareWords(before.parts[0]?.text ?? "", after.parts[0]?.text ?? "");
      if (words) [before.parts, after.parts] = [words.before, words.after];
    }
    start = Math.max(end, start + 1);
  }
}

/** Hunks as a page shows them. Carriage returns at the ends of lines show only where not every line has one. */
export function showHunks(hunks: readonly HunkPart[], blocks: readonly MovedBlock[]): ShownHunk[] {
  const moves = byLine(blocks);
  const endsAlike = hunks.every(({ lines }) => lines.every(({ text }) => text.endsWith("\r")));
  return hunks.map(({ lines, ...head }) => {
    const shown = lines.map(({ text, ...line }): ShownLine => {
      const { text: visible, leftOutLength } = shortenLine(endsAlike ? text.slice(0, -1) : text);
      return {
        ...{ ...line, leftOutLength, movedLine: movedLine({ text, ...line }, moves) },
        parts: visible === "" ? [] : [{ text: visible, isChanged: false }],
      };
    });
    markWords(shown);
    return { ...head, lines: shown };
  });
}
