/** Longest line that a page shows, in characters: a line may be as long as a file. */
export const maxShownLineLength = 2_000;

/** Characters that do not show, or change how others show; a tab does neither. */
const hidden = /[^\P{C}\t]|[\p{Zl}\p{Zp}\p{Variation_Selector}\u3164\u115f\u1160]/gu;
/** What joins or dresses an emoji, right behind one. */
const partOfEmoji = /\p{Extended_Pictographic}(?:\uFE0F?\u200D|\uFE0E|\uFE0F)$/u;
/** Longest emoji with what stands behind it, in code units. */
const maxEmojiLength = 5;

/** A text in which what would not show, or would reorder the rest, reads `[U+XXXX]`. */
export function toVisible(text: string): string {
  return text.replace(hidden, (character, at: number) => {
    const end = at + character.length;
    if (partOfEmoji.test(text.slice(Math.max(0, end - maxEmojiLength), end))) return character;
    return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** The beginning of a line as a page shows it, and how many characters are left out. */
export function shortenLine(line: string): { text: string; leftOutLength: number } {
  if (line.length <= maxShownLineLength) return { text: toVisible(line), leftOutLength: 0 };
  const isPair = /[\uD800-\uDBFF]/.test(line[maxShownLineLength - 1]!);
  const length = isPair ? maxShownLineLength - 1 : maxShownLineLength;
  return { text: toVisible(line.slice(0, length)), leftOutLength: line.length - length };
}

/** A part of a line, and whether the line's other version has it too. */
export type LinePart = { text: string; isChanged: boolean };

/** Share of the longer line that must be kept for the rest to be worth marking. */
const minKeptShare = 0.3;

const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(character);

/** Moves a cut off the inside of a word, towards the start (-1) or the end (+1). */
function offWord(text: string, at: number, step: -1 | 1): number {
  let cut = at;
  while (cut > 0 && cut < text.length && isWord(text[cut - 1]) && isWord(text[cut])) cut += step;
  return cut;
}

function sharedStart(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (length < limit && before[length] === after[length]) length++;
  return Math.min(offWord(before, length, -1), offWord(after, length, -1));
}

function sharedEnd(before: string, after: string, start: number): number {
  const limit = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length < limit && before[before.length - 1 - length] === after[after.length - 1 - length]) length++;
  const ends = [before, after].map((text) => text.length - offWord(text, text.length - length, 1));
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
 * What two versions of a line share at their start and end, by whole words, and what lies between. Null where they
 * share too little for that to tell anything. Takes time in proportion to their length.
 */
export function compareWords(before: string, after: string): { before: LinePart[]; after: LinePart[] } | null {
  const start = sharedStart(before, after);
  const end = sharedEnd(before, after, start);
  if (start + end < minKeptShare * Math.max(before.length, after.length)) return null;
  return { before: parts(before, start, end), after: parts(after, start, end) };
}
