import { shownOf } from "./plain-text";
import type { ReadLine, ReadLines } from "./read-lines";
import type { WordChange } from "./word-changes";

/** Most changed lines of each side in which text is searched, and most searches; with more, no text counts as moved. */
const [maxLineCount, maxSearchCount] = [500, 50];
/** Fewest words that are recognized elsewhere: fewer recur by chance. */
const minWordCount = 3;

const textOf = (lines: readonly ReadLine[]) => lines.map(({ text }) => shownOf(text)).join(" ");
const countOf = (text: string, words: string) => text.split(words).length - 1;

/**
 * Returns a function that tells whether words only moved to other lines or paragraphs: whether both versions have them as often,
 * in the lines that changed. Punctuation at their end does not count.
 */
export function movedTextFinder({ removed, added }: ReadLines): (words: string) => boolean {
  if (Math.max(removed.length, added.length) > maxLineCount) return () => false;
  const [old, now] = [textOf(removed), textOf(added)];
  let searchCount = 0;
  return (words) => {
    const searched = words.replace(/[.:;,]+$/, "");
    if (searched.split(" ").length < minWordCount || searchCount++ >= maxSearchCount) return false;
    const count = countOf(old, searched);
    return count > 0 && count === countOf(now, searched);
  };
}

/** Returns a change of words without those that only moved. */
export function withoutMoved({ old, now, isWhole }: WordChange, isMoved: (words: string) => boolean): WordChange {
  return { old: isMoved(old) ? "" : old, now: isMoved(now) ? "" : now, isWhole };
}
