import { cutText, shownOf, splitSentences } from "#lib/tracking/wording/index";
import type { ReadLine } from "./read-lines";

/** Words that differ between two wordings of a line; one of both sides can be empty. `isWhole` if nothing is common. */
type WordChange = { old: string; now: string; isWhole: boolean };

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

/**
 * Returns the words between the first and the last difference of two lines. Words that only one line has end with a punctuation
 * mark if they can: of `Command A, Command B`, a new `Command A,` and not `A, Command`.
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

/** Whether two lines differ in at most two letters within one word, so that one corrects the spelling of the other. */
export function isCorrection(before: string, after: string): boolean {
  const { old, now } = changedWords(before, after);
  if (![old, now].every((word) => /^\p{L}{5,}$/u.test(word))) return false;
  let [start, end] = [0, 0];
  while (start < now.length && old[start] === now[start]) start++;
  while (end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return start >= 3 && start + end >= Math.max(old.length, now.length) - 2;
}

const [maxShownWordCount, maxShownLength] = [10, 90];

export function describeWords({ old, now, isWhole }: WordChange): string | undefined {
  const isShort = (text: string) => wordsOf(text).length <= maxShownWordCount && text.length <= maxShownLength;
  if (isWhole || !isShort(old) || !isShort(now) || !/[\p{L}\p{N}]/u.test(old + now)) return undefined;
  const quoted = (text: string) => `“${unpunctuated(cutText(text))}”`;
  if (old === "") return `adds ${quoted(now)}`;
  return now === "" ? `drops ${quoted(old)}` : `${quoted(old)} becomes ${quoted(now)}`;
}

export const wordCountOf = (text: string) => shownOf(text).match(/\p{L}{2,}/gu)?.length ?? 0;
/** Returns a sentence without a full stop, colon, semicolon, comma or the backslash of a line break at its end. */
export const unpunctuated = (text: string) => text.replace(/[.:;,\\]+$/, "");

const openEnd = /[\p{L}\p{N})] ?,?$/u;
/** Lines that begin a block of text of their own; the tags of a link, code and emphasis do not. */
const blockStart = /^\s*(?:[-*+>#|]|<(?!\/?(?:a|code|strong|em|b|i)\b)|\d{1,3}[.)]\s|$)/;
const [minSentenceWordCount, maxWrappedLineCount] = [4, 20];
export const isLong = (sentence: string) => wordCountOf(sentence) >= minSentenceWordCount;

/**
 * Reads the text that begins at an index and may be wrapped over more lines. Returns its first long sentence that did not only
 * move, otherwise the first long one, otherwise the first, and the number of lines over which the text was read.
 */
export function quoteFrom(
  lines: readonly ReadLine[],
  first: number,
  isMoved: (sentence: string) => boolean = () => false,
): { line: ReadLine; sentence: string; lineCount: number } {
  const line = lines[first]!;
  let text = shownOf(line.text);
  let lineCount = 1;
  for (; first + lineCount < lines.length && lineCount < maxWrappedLineCount; lineCount++) {
    const next = lines[first + lineCount]!;
    const isNext = next.number === line.number + lineCount && !next.isCode && !blockStart.test(next.text);
    const isComplete = splitSentences(text).slice(0, -1).some(isLong);
    if (!isNext || isComplete || !openEnd.test(text)) break;
    text = `${text} ${shownOf(next.text)}`.replace(/ (?=[,.;:])/g, "");
  }
  const sentences = splitSentences(text);
  const long = sentences.filter(isLong);
  const sentence = long.find((each) => !isMoved(each)) ?? long[0] ?? sentences[0] ?? "";
  return { line, sentence: unpunctuated(cutText(sentence)), lineCount };
}
