import { maxReadLineLength, plainOf } from "./plain-text";
import type { ReadLine } from "./read-lines";
import { constancy } from "./wording";

const amount = /[$€£¥]\s?\d[\d.,]*(?<![.,])|\b\d[\d.,]*\s?(?:usd|eur|gbp|dollars?|euros?|cents?)\b/gi;
const share = /\b\d+(?:[.,]\d+)?\s?%/g;
const priceWord =
  /\b(?:pric(?:es?|ed|ing)|fees?|costs?|pays?(?!-)|charged?|billed|billing|free (?:plan|tier)|(?:per|a|an) (?:month|seat|user|request|call|gigabyte|gb|payment|event))\b/i;
const plan =
  /\b(?:free|hobby|starter|pro|team|business|enterprise|standard) (?:plans?|tiers?)\b|\b(?:quota|allowance)\b/i;
const quantity = /\b(?:\d[\d.,]*[a-z]{0,2}|half|third|quarter|double|twice|triple|free)\b/gi;

/** Amounts of money in a line, as they stand there. */
export function amountsOf(line: string): string[] {
  return line.slice(0, maxReadLineLength).match(amount) ?? [];
}

/** Quantities in the sentences of a line that speak of prices or plans. */
function pricedCountsOf(plain: string): string {
  const sentences = plain
    .split(/(?<=[.!?;])["')]?\s/)
    .filter((sentence) => (priceWord.test(sentence) || plan.test(sentence)) && !constancy.test(sentence));
  return sentences
    .flatMap((sentence) => sentence.match(quantity) ?? [])
    .join(" ")
    .toLowerCase();
}

const pricesOf = (text: string) => [...amountsOf(text), ...(priceWord.test(text) ? (text.match(share) ?? []) : [])];

/**
 * Whether a line changes what somebody pays (`change`), or speaks of prices anew without doing so (`mention`): the price
 * of what was not there before is none that rises.
 */
export function comparePrices({ text, partner, links }: ReadLine): "change" | "mention" | undefined {
  const [now, old] = [text.slice(0, maxReadLineLength), partner?.text.slice(0, maxReadLineLength)];
  const prices = pricesOf(now);
  const [plain, oldPlain] = [plainOf(now), plainOf(old ?? "")];
  if (old === undefined) {
    const isTableRow = now.trimStart().startsWith("|");
    if (prices.length > 0 && priceWord.test(plain) && !isTableRow && links.length === 0) return "change";
    return links.length > 0 && /\bpric(?:es|ing)\b/i.test(plain) ? "mention" : undefined;
  }
  const oldPrices = pricesOf(old);
  if (prices.join(" ") !== oldPrices.join(" ")) {
    const isNew = prices.some((price) => !oldPrices.includes(price));
    if (oldPrices.length > 0 || (isNew && priceWord.test(plain))) return "change";
  }
  const [counts, oldCounts] = [pricedCountsOf(plain), pricedCountsOf(oldPlain)];
  if (counts !== "" && oldCounts !== "" && counts !== oldCounts) return "change";
  const hadWord = /\b(?:pric(?:es|ing)|fees?)\b/i;
  return hadWord.test(plain) && hadWord.test(oldPlain) && plain !== oldPlain ? "mention" : undefined;
}
