import type { Facts } from "./facts/read-facts";
import { isMajor } from "./judge-significance";
import { maxReadLineLength } from "./text/plain-text";
import type { ReadLine } from "./text/read-lines";

/** Most quotes per report, and the shortest and longest quote in UTF-16 code units. */
const maxQuoteCount = 5;
const [minQuoteLength, maxQuoteLength] = [3, 280];

/** Control characters, and characters that change the writing direction. */
const unsafe = /(?!\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

const leadingMarks = /^[\s>]{0,40}(?:[-*+•]\s+)?/;
const sentenceEnd = /[.!?;]["”)]?\s+/g;

/** Returns where the first sentence of a line begins that the line it replaced does not have in the same place. */
function startOfChange({ text, partner }: ReadLine): number {
  const old = partner?.text ?? "";
  const limit = Math.min(text.length, old.length, maxReadLineLength);
  let at = 0;
  while (at < limit && text[at] === old[at]) at++;
  const ends = [...text.slice(0, at).matchAll(sentenceEnd)];
  const end = ends.at(-1);
  return end ? end.index + end[0].length : 0;
}

/** Returns a verbatim part of a text: from its first word, or from an index, on; cut at a word boundary if it is long. */
export function quoteOf(text: string, from = 0): string {
  const start = Math.max(leadingMarks.exec(text)![0].length, from);
  const whole = text.slice(start, start + maxQuoteLength + 1).trimEnd();
  if (whole.length <= maxQuoteLength) return whole;
  const space = whole.lastIndexOf(" ", maxQuoteLength);
  const cut = whole.slice(0, space > maxQuoteLength / 2 ? space : maxQuoteLength);
  // Does not split a surrogate pair.
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Returns the quote of a line; of one that is too long, from the sentence on that changed. */
const quoteOfLine = (line: ReadLine) => quoteOf(line.text, line.text.length > maxQuoteLength ? startOfChange(line) : 0);

/** Whether a quote contains a letter or digit and no unsafe characters. */
export const isShowable = (quote: string) => /[\p{L}\p{N}]/u.test(quote) && !unsafe.test(quote);

const isHeading = ({ text }: ReadLine) => /^ {0,3}#/.test(text);

/** Returns the lines that say most about a change, the most important first; of the older text only if nothing was added. */
function rankedLines({ signals, values, lines, links, reworded, proseAdded, textAdded }: Facts): ReadLine[] {
  const isNew = new Set(lines.added);
  const addedTargets = new Set(links.added.map(({ target }) => target));
  const added = [
    ...signals.filter(isMajor).map(({ line }) => line),
    ...values.map(({ line }) => line),
    ...signals.filter(({ isMention }) => !isMention).map(({ line }) => line),
    ...lines.added.filter((line) => line.links.some(({ target }) => addedTargets.has(target))),
    ...proseAdded,
    ...reworded,
    ...textAdded,
  ].filter((line) => isNew.has(line) && !isHeading(line));
  return added.length > 0 || links.relinked.length > 0 ? added : lines.removed.filter((line) => !isHeading(line));
}

/** Returns the most relevant lines verbatim. */
export function chooseQuotes(facts: Facts): string[] {
  if (facts.isSameContent) return [];
  const quotes = new Set<string>();
  for (const line of new Set(rankedLines(facts))) {
    const quote = quoteOfLine(line);
    if (quote.length >= minQuoteLength && isShowable(quote)) quotes.add(quote);
    if (quotes.size === maxQuoteCount) break;
  }
  return [...quotes];
}
