import { cutText } from "./plain-text";

/** Words that differ between two wordings of a line; one of both sides can be empty. */
export type WordChange = { old: string; now: string; isWhole: boolean };

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

/**
 * Returns the words between the first and the last difference of two lines. `isWhole` if nothing is common. Words that only one line
 * has end with a punctuation mark if they can: of `Command A, Command B`, a new `Command A,` and not `A, Command`.
 */
export function changedWords(before: string, after: string): WordChange {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const limit = Math.min(old.length, now.length);
  let start = 0;
  while (start < limit && old[start] === now[start]) start++;
  let end = 0;
  while (end < limit - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const [one, other] = old.length < now.length ? [old, now] : [now, old];
  if (one.length === start + end) {
    const endOf = (shift: number) => other[other.length - end - shift - 1]!;
    let shift = 0;
    while (shift < start && endOf(shift) === other[start - shift - 1] && !/[.,;:]$/.test(endOf(shift))) shift++;
    if (/[.,;:]$/.test(endOf(shift))) [start, end] = [start - shift, end + shift];
  }
  const part = (words: string[]) => words.slice(start, words.length - end).join(" ");
  return { old: part(old), now: part(now), isWhole: start + end === 0 };
}

/** Longest words whose spelling is compared. */
const maxWordLength = 30;
const maxEditCount = 2;
const minWordLength = 5;

/** Returns the Levenshtein distance of two short words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}

const article = /^an?$/;

function isRespelled(old: string, now: string): boolean {
  const [a, b] = [old, now].map((word) => word.toLowerCase().replace(/^\W+|\W+$/g, "")) as [string, string];
  if (a === b || (article.test(a) && article.test(b))) return true;
  if (a.length < minWordLength || b.length < minWordLength || Math.max(a.length, b.length) > maxWordLength)
    return false;
  return a[0] === b[0] && /^[a-z-]+$/.test(a + b) && editDistance(a, b) <= maxEditCount;
}

/** Most words that a correction of spelling changes. */
const maxRespelledCount = 6;

/** Whether two lines differ only in the spelling of single words. */
export function isSpelling(before: string, after: string): boolean {
  const { old, now } = changedWords(before, after);
  const [a, b] = [wordsOf(old), wordsOf(now)];
  if (a.length !== b.length || a.length > maxRespelledCount) return false;
  return a.every((word, index) => isRespelled(word, b[index]!));
}

/** Most words of a change that is shown by its words alone. */
const maxShownWordCount = 10;
const maxShownLength = 90;

/** Returns what a text has after another one and a punctuation mark; empty if it does not begin with that text. */
function restOf(text: string, start: string): string {
  const rest = start !== "" && text.startsWith(start) ? text.slice(start.length) : "";
  return /^(?:[;,:.]|\s[–—-])\s/.test(rest) ? rest.replace(/^[\s;,:.–—-]+/, "") : "";
}

/** Returns `“old” becomes “now”`, or undefined if the change is too long for that. */
export function describeWords({ old, now, isWhole }: WordChange): string | undefined {
  const isShort = (text: string) => wordsOf(text).length <= maxShownWordCount && text.length <= maxShownLength;
  if (isWhole || !isShort(old) || !isShort(now) || (old === "" && now === "")) return undefined;
  if (!/[\p{L}\p{N}]/u.test(old + now)) return undefined;
  const quoted = (text: string) => `“${cutText(text).replace(/[.,:;]+$/, "")}”`;
  const [added, dropped] = [restOf(now, old), restOf(old, now)];
  if (added !== "") return `adds ${quoted(added)}`;
  if (dropped !== "") return `drops ${quoted(dropped)}`;
  if (old === "") return `adds ${quoted(now)}`;
  if (now === "") return `drops ${quoted(old)}`;
  return `${quoted(old)} becomes ${quoted(now)}`;
}
