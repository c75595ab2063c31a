import { isGrave } from "./judge-significance";
import type { Facts } from "./read-facts";
import type { ReadLine } from "./read-lines";

/** Most quotes per report, and the longest quote in UTF-16 code units. */
const maxQuoteCount = 5;
const maxQuoteLength = 280;
const minQuoteLength = 3;

/** Control characters, and characters that change the writing direction. */
const unsafe = /(?!\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

const leadingMarks = /^[\s>]{0,40}(?:[-*+•]\s+)?/;

/** Returns a verbatim part of a line: from its first word on, cut at a word boundary if it is long. */
export function quoteOf(line: string): string {
  const start = leadingMarks.exec(line)![0].length;
  const whole = line.slice(start, start + maxQuoteLength + 1).trimEnd();
  if (whole.length <= maxQuoteLength) return whole;
  const space = whole.lastIndexOf(" ", maxQuoteLength);
  const cut = whole.slice(0, space > maxQuoteLength / 2 ? space : maxQuoteLength);
  // Does not split a surrogate pair.
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Whether a quote contains a letter or digit and no unsafe characters. */
export const isShowable = (quote: string) => /[\p{L}\p{N}]/u.test(quote) && !unsafe.test(quote);

function rankedLines({ signals, lines, links, reworded, proseAdded }: Facts): ReadLine[] {
  const grave = signals.filter(isGrave).map(({ line }) => line);
  const announced = signals.filter(({ isMention }) => !isMention).map(({ line }) => line);
  const addedTargets = new Set(links.added.map(({ target }) => target));
  const linked = lines.added.filter((line) => line.links.some(({ target }) => addedTargets.has(target)));
  const added = [...grave, ...announced, ...linked, ...proseAdded, ...reworded];
  return added.length > 0 || links.relinked.length > 0
    ? added
    : lines.removed.filter(({ text }) => !/^ {0,3}#/.test(text));
}

/** Returns the most relevant lines verbatim: from the newer version, or from the older one if nothing was added. */
export function chooseQuotes(facts: Facts): string[] {
  if (facts.isSameContent) return [];
  const quotes = new Set<string>();
  for (const { text } of new Set(rankedLines(facts))) {
    const quote = quoteOf(text);
    if (quote.length >= minQuoteLength && isShowable(quote)) quotes.add(quote);
    if (quotes.size === maxQuoteCount) break;
  }
  return [...quotes];
}
