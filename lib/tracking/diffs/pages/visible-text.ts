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
