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
