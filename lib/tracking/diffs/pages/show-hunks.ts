import type { MovedBlock } from "../compare/find-moves";
import type { HunkLine } from "../compare/read-unified";
import type { HunkPart } from "./page-hunks";
import { compareWords, type LinePart, shortenLine } from "./show-line";

/** Position of a moved block on the other side. */
export type Move = { firstLine: number; lineCount: number };

/** A line of a diff as a page shows it: of limited length, with invisible characters made visible. */
export type ShownLine = Omit<HunkLine, "text"> & {
  parts: LinePart[];
  /** Number of characters that are not shown. */
  omittedLength: number;
  /** The block that the line moved with; null if it did not move. */
  move: Move | null;
};

export type ShownHunk = Omit<HunkPart, "lines"> & { lines: ShownLine[] };

/** Moves by the numbers of the removed lines and of the added lines. */
type Moves = { removed: Map<number, Move>; added: Map<number, Move> };

function byLine(blocks: readonly MovedBlock[]): Moves {
  const moves: Moves = { removed: new Map(), added: new Map() };
  for (const { fromLine, toLine, lineCount } of blocks) {
    const [there, here] = [
      { firstLine: toLine, lineCount },
      { firstLine: fromLine, lineCount },
    ];
    for (let line = 0; line < lineCount; line++) {
      moves.removed.set(fromLine + line, there);
      moves.added.set(toLine + line, here);
    }
  }
  return moves;
}

function moveOf({ kind, oldLine, newLine }: HunkLine, moves: Moves): Move | null {
  if (kind === "context") return null;
  return moves[kind].get((kind === "removed" ? oldLine : newLine)!) ?? null;
}

/** Returns the end of the run of lines of a kind that starts at `start`. */
function endOfRun(lines: readonly ShownLine[], start: number, kind: ShownLine["kind"]): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end;
}

/** Marks the changed words in pairs of lines: the first removed with the first added one of a run, and so on. */
function markWords(lines: ShownLine[]): void {
  for (let start = 0; start < lines.length; ) {
    const middle = endOfRun(lines, start, "removed");
    const end = endOfRun(lines, middle, "added");
    for (let index = 0; index < Math.min(middle - start, end - middle); index++) {
      const [before, after] = [lines[start + index]!, lines[middle + index]!];
      if (before.move || after.move) continue;
      const words = compareWords(before.parts[0]?.text ?? "", after.parts[0]?.text ?? "");
      if (words) [before.parts, after.parts] = [words.before, words.after];
    }
    start = Math.max(end, start + 1);
  }
}

/** Returns hunks as a page shows them. Carriage returns at line ends are shown only if not every line has one. */
export function showHunks(hunks: readonly HunkPart[], blocks: readonly MovedBlock[]): ShownHunk[] {
  const moves = byLine(blocks);
  const endsAlike = hunks.every(({ lines }) => lines.every(({ text }) => text.endsWith("\r")));
  return hunks.map(({ lines, ...head }) => {
    const shown = lines.map(({ text, ...line }): ShownLine => {
      const { text: visible, omittedLength } = shortenLine(endsAlike ? text.slice(0, -1) : text);
      return {
        ...{ ...line, omittedLength, move: moveOf({ text, ...line }, moves) },
        parts: visible === "" ? [] : [{ text: visible, isChanged: false }],
      };
    });
    markWords(shown);
    return { ...head, lines: shown };
  });
}

/** A row of the side-by-side view; null if a side has no line. */
export type LinePair = { before: ShownLine | null; after: ShownLine | null };

/** Arranges the lines of a hunk side by side: removed lines next to the added lines that follow them. */
export function pairLines(lines: readonly ShownLine[]): LinePair[] {
  const pairs: LinePair[] = [];
  let [removed, added]: [ShownLine[], ShownLine[]] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      pairs.push({ before: removed[index] ?? null, after: added[index] ?? null });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push({ before: line, after: line });
    }
  }
  flush();
  return pairs;
}
