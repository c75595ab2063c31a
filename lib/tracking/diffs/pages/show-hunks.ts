import type { MovedBlock } from "../compare/find-moves";
import type { HunkLine } from "../compare/read-unified";
import type { HunkPart } from "./page-hunks";

/** Longest line on a page, in characters; a line may be as long as a file. */
export const maxShownLineLength = 2_000;

/** Characters that are invisible, or change how others are displayed. Excludes the tab. */
const hidden = /[^\P{C}\t]|[\p{Zl}\p{Zp}\p{Variation_Selector}\u3164\u115f\u1160]/gu;
/** A joiner or variation selector directly after an emoji. */
const emojiSuffix = /\p{Extended_Pictographic}(?:\uFE0F?\u200D|\uFE0E|\uFE0F)$/u;
/** Longest emoji with its suffix, in code units. */
const maxEmojiLength = 5;

/** Returns the text with invisible and reordering characters written as `[U+XXXX]`. */
export function toVisible(text: string): string {
  return text.replace(hidden, (character, at: number) => {
    const end = at + character.length;
    if (emojiSuffix.test(text.slice(Math.max(0, end - maxEmojiLength), end))) return character;
    return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** Returns the beginning of a line as a page shows it, and the number of omitted characters. */
export function shortenLine(line: string): { text: string; omittedLength: number } {
  if (line.length <= maxShownLineLength) return { text: toVisible(line), omittedLength: 0 };
  const isPair = /[\uD800-\uDBFF]/.test(line[maxShownLineLength - 1]!);
  const length = isPair ? maxShownLineLength - 1 : maxShownLineLength;
  return { text: toVisible(line.slice(0, length)), omittedLength: line.length - length };
}

/** A part of a line, and whether it differs from the line's other version. */
export type LinePart = { text: string; isChanged: boolean };

/** Smallest unchanged share of the longer line for which the changed part is marked. */
const minKeptShare = 0.3;

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(character);

/** Moves a cut from inside a word to its boundary, towards the start (-1) or the end (+1). */
function toWordBoundary(text: string, at: number, step: -1 | 1): number {
  let cut = at;
  while (cut > 0 && cut < text.length && isWord(text[cut - 1]) && isWord(text[cut])) cut += step;
  return cut;
}

function sharedStart(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (length < limit && before[length] === after[length]) length++;
  return Math.min(toWordBoundary(before, length, -1), toWordBoundary(after, length, -1));
}

function sharedEnd(before: string, after: string, start: number): number {
  const limit = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length < limit && before[before.length - 1 - length] === after[after.length - 1 - length]) length++;
  const ends = [before, after].map((text) => text.length - toWordBoundary(text, text.length - length, 1));
  return Math.max(0, Math.min(...ends));
}

function parts(text: string, start: number, end: number): LinePart[] {
  const cut = text.length - end;
  const cuts = [
    { text: text.slice(0, start), isChanged: false },
    { text: text.slice(start, cut), isChanged: true },
    { text: text.slice(cut), isChanged: false },
  ];
  return cuts.filter((part) => part.text !== "");
}

/**
 * Divides two versions of a line into their common start and end, by whole words, and the changed part between. Returns
 * null if they have too little in common. Runs in linear time.
 */
export function compareWords(before: string, after: string): { before: LinePart[]; after: LinePart[] } | null {
  const start = sharedStart(before, after);
  const end = sharedEnd(before, after, start);
  if (start + end < minKeptShare * Math.max(before.length, after.length)) return null;
  return { before: parts(before, start, end), after: parts(after, start, end) };
}

/** Position of a moved block on the other side. */
export type Move = { firstLine: number; lineCount: number };

/** A line of a diff as a page shows it: of limited length, with invisible characters made visible. */
export type ShownLine = Omit<HunkLine, "text"> & {
  parts: LinePart[];
  /** Number of characters that are not shown. */
  omittedLength: number;
  /** The block that the line moved with; null if it did not move. */
  move: Move | null;
  /** Security detectors that found something in the line; empty if none did. */
  detectors: readonly string[];
};

/** Detectors by the numbers of the lines in which they found something, in the older and the newer version. */
export type FlaggedLines = { before: ReadonlyMap<number, string[]>; after: ReadonlyMap<number, string[]> };

const noneFlagged: FlaggedLines = { before: new Map(), after: new Map() };

/** A context line is in both versions. */
function detectorsOf({ oldLine, newLine }: HunkLine, { before, after }: FlaggedLines): string[] {
  const found = [...(before.get(oldLine ?? 0) ?? []), ...(after.get(newLine ?? 0) ?? [])];
  return [...new Set(found)];
}

export type ShownHunk = Omit<HunkPart, "lines"> & { lines: ShownLine[] };

/** Moves by the numbers of the removed lines and of the added lines. All lines of a block have the same object. */
type Moves = { removed: Map<number, Move>; added: Map<number, Move> };

function byLine(blocks: readonly MovedBlock[]): Moves {
  const moves: Moves = { removed: new Map(), added: new Map() };
  for (const { fromLine, toLine, lineCount } of blocks) {
    const [to, from] = [
      { firstLine: toLine, lineCount },
      { firstLine: fromLine, lineCount },
    ];
    for (let line = 0; line < lineCount; line++) {
      moves.removed.set(fromLine + line, to);
      moves.added.set(toLine + line, from);
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
export function showHunks(
  hunks: readonly HunkPart[],
  blocks: readonly MovedBlock[],
  flagged: FlaggedLines = noneFlagged,
): ShownHunk[] {
  const moves = byLine(blocks);
  const endsAlike = hunks.every(({ lines }) => lines.every(({ text }) => text.endsWith("\r")));
  return hunks.map(({ lines, ...head }) => {
    const shown = lines.map((line): ShownLine => {
      const { text, ...rest } = line;
      const { text: visible, omittedLength } = shortenLine(endsAlike ? text.slice(0, -1) : text);
      const whole = visible === "" ? [] : [{ text: visible, isChanged: false }];
      return { ...rest, omittedLength, move: moveOf(line, moves), detectors: detectorsOf(line, flagged), parts: whole };
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
