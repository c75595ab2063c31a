import { cutText, shownOf, splitSentences } from "./plain-text";
import type { ReadLine } from "./read-lines";

/** Returns the number of words of two letters and more of a line, as people read it. */
export const wordCountOf = (text: string) => shownOf(text).match(/\p{L}{2,}/gu)?.length ?? 0;
/** Returns a sentence without a full stop, colon, semicolon, comma or the backslash of a line break at its end. */
export const unpunctuated = (text: string) => text.replace(/[.:;,\\]+$/, "");

/** The end of a line whose sentence can go on in the next one. */
const openEnd = /[\p{L}\p{N})] ?,?$/u;
/** Lines that begin a block of text of their own; the tags of a link, code and emphasis do not. */
const blockStart = /^\s*(?:[-*+>#|]|<(?!\/?(?:a|code|strong|em|b|i)\b)|\d{1,3}[.)]\s|$)/;
/** Fewest words of a sentence that is quoted if there is one that long. */
const minSentenceWordCount = 4;
export const isLong = (sentence: string) => wordCountOf(sentence) >= minSentenceWordCount;

/** Most lines over which a sentence is read. */
const maxWrappedLineCount = 20;

/** A sentence with the line that it begins in, and the number of lines over which its text was read. */
export type Quote = { line: ReadLine; sentence: string; lineCount: number };

/**
 * Reads the text that begins at an index and may be wrapped over more lines. Returns its first long sentence that did not only
 * move, otherwise the first long one, otherwise the first.
 */
export function quoteFrom(
  lines: readonly ReadLine[],
  first: number,
  isMoved: (sentence: string) => boolean = () => false,
): Quote {
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
