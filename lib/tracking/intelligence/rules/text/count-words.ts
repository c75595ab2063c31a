import { shownOf } from "./plain-text";
import type { ReadLine, ReadLines } from "./read-lines";

/** Words that only one version has, wherever they are: text that moves or is wrapped in another way does not count. */
export type WordCounts = { gained: number; lost: number };

const word = /[\p{L}\p{N}][\p{L}\p{N}'_.-]*/gu;
/** Headings, and entries of lists that begin with a link. */
const noText = /^ {0,3}#{1,6}\s|^\s*(?:[-*+]|\d{1,3}[.)])?\s*\[/;

const isText = ({ text, isCode, isMeta }: ReadLine) => !isCode && !isMeta && !noText.test(text);

/** Counts the words of the lines of text that a change adds and removes. */
export function countWords({ removed, added }: ReadLines): WordCounts {
  const counts = new Map<string, number>();
  const count = (lines: readonly ReadLine[], step: 1 | -1) => {
    for (const { text } of lines.filter(isText)) {
      for (const [found] of shownOf(text).toLowerCase().matchAll(word))
        counts.set(found, (counts.get(found) ?? 0) + step);
    }
  };
  count(added, 1);
  count(removed, -1);
  const words = { gained: 0, lost: 0 };
  for (const balance of counts.values()) {
    if (balance > 0) words.gained += balance;
    else words.lost -= balance;
  }
  return words;
}
