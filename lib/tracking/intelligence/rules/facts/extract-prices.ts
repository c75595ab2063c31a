import { maxReadLineLength, plainOf, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { firstCellOf, subjectOf } from "../text/subject";
import type { ValueFact } from "./value-fact";
import { changedCells } from "./value-subjects";

const period =
  "(?:\\d[\\d.,]{0,20}\\s?[kmb]?\\s?)?(?:months?|years?|mo|yr|days?|hours?|minutes?|seats?|users?|members?|requests?|calls?|commands?|messages?|events?|[gmt]ib|[kmgt]b|gigabytes?|payments?|transactions?|images?|pages?|characters?|credits?|(?:(?:input|output|cached) )?tokens?|million|thousand)\\b";
const priced = new RegExp(
  `((?:[$€£¥]|\\b(?:usd|eur|gbp) )\\s?\\d[\\d.,]{0,20}(?<![.,])|\\b\\d[\\d.,]{0,20}(?<![.,])\\s?(?:usd|eur|gbp|dollars?|euros?|cents?)\\b)[*_]{0,3}(?:\\s?\\+)?(\\s?(?:\\/|per|an?|each|every)\\s?${period})?`,
  "gi",
);
const priceWord =
  /\b(?:pric(?:es?|ed|ing)|fees?|costs?|pays?(?!-)|charged?|billed|billing|ceiling|budget|plans?|tiers?|rates?)\b/i;

const statesPrice = /\b(?:pric(?:es?|ed|ing)|fees?|costs?|pays?(?!-)|charged?|billed)\b/i;

/** Words that make a percentage a price: `card payments cost 1.4 %`. */
const feeWord = /\b(?:fees?|commissions?|surcharges?)\b|\b(?:payments?|transactions?|payouts?|transfers?) costs?\b/i;
const share = /\b\d{1,3}(?:[.,]\d{1,3})?\s?%/g;

/** A sum of money in a line, verbatim, with its period or unit (` a month`) if the text names one. */
type Price = { amount: string; unit: string };

/** Returns the prices of a line, or of a cell about something. Backslashes before a currency are removed. */
function pricesOf(text: string, about = ""): Price[] {
  const line = text.slice(0, maxReadLineLength).replace(/\\(?=[$€£¥])/g, "");
  const shares = feeWord.test(`${about} ${line}`)
    ? (line.match(share) ?? []).map((amount) => ({ amount, unit: "" }))
    : [];
  const sums = [...line.matchAll(priced)].map(([, amount, unit]) => ({
    amount: amount!.trim(),
    unit: (unit ?? "").trim().replace(/^\/\s?/, "per "),
  }));
  return [...sums, ...shares];
}

const keyOf = ({ amount, unit }: Price) => `${amount} ${unit}`.toLowerCase().replace(/\s+/g, " ");
const shown = ({ amount, unit }: Price) => `${amount}${unit ? ` ${unit}` : ""}`;

/** Returns the prices that only one of two lists has. */
function only(prices: readonly Price[], others: readonly Price[]): Price[] {
  const left = others.map(keyOf);
  return prices.filter((price) => {
    const at = left.indexOf(keyOf(price));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const isRow = ({ text }: Pick<ReadLine, "text">) => text.trimStart().startsWith("|");
const isFree = /^\D*0(?:[.,]0+)?\D*$/;

/** Whether the prices of a line have a unit, are in a table, or are called prices by the line or its section. */
const isPriced = (prices: readonly Price[], { path, text }: ReadLine) =>
  isRow({ text }) || prices.some(({ unit }) => unit !== "") || priceWord.test(plainOf(text)) || priceWord.test(path);

const isShare = ({ amount }: Price) => amount.endsWith("%");

/** Pairs prices that are gone with those that came, in order: first those with the same unit, and never sums with percentages. */
function pairPrices(gone: readonly Price[], come: readonly Price[]): { old?: Price; now?: Price }[] {
  const left = [...gone];
  const take = (price: Price, isSameUnit: boolean) => {
    const at = left.findIndex(
      (other) => isShare(other) === isShare(price) && (!isSameUnit || other.unit === price.unit),
    );
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const first = come.map((now) => ({ now, old: take(now, true) }));
  const pairs = first.map(({ now, old }) => ({ now, old: old ?? take(now, false) }));
  return [...pairs, ...left.map((old) => ({ old }))];
}

/** Returns the moves from some prices to others. */
function movesOf(
  line: ReadLine,
  subjectFor: (price: Price) => string,
  old: readonly Price[],
  now: readonly Price[],
): ValueFact[] {
  return pairPrices(only(old, now), only(now, old)).map((pair) => ({
    kind: "price" as const,
    line,
    subject: subjectFor((pair.now ?? pair.old)!),
    old: pair.old ? shown(pair.old) : "",
    now: pair.now ? shown(pair.now) : "",
  }));
}

/** Returns the price that a removed line states, if the newer text does not state it anywhere. */
export function readLostPrices(line: ReadLine, isInNewer: (value: string) => boolean): ValueFact[] {
  if (line.partner || line.isCode || line.isMeta) return [];
  const prices = pricesOf(line.text);
  const price = prices.find(({ amount }) => !isFree.test(amount));
  const isStated = prices.some(({ unit }) => unit) || (isRow(line) && statesPrice.test(firstCellOf(line.text)));
  if (!price || !isStated || !isPriced(prices, line) || isInNewer(price.amount)) return [];
  return [{ kind: "price", line, subject: subjectOf(line, price.amount), old: shown(price), now: "" }];
}

/**
 * Returns the prices that a line changes, which have a currency and differ from those of the line that it replaced, and the
 * first price of a new line. `isKnown` tells whether the older text has an amount. The price of something new, in a table with
 * prices, a list of links or a new section, is no change.
 */
export function readPrices(
  line: ReadLine,
  isKnown: (value: string) => boolean,
  { isWhole, hadPrices }: { isWhole: (path: string) => boolean; hadPrices: boolean },
): ValueFact[] {
  if (line.isCode) return [];
  const cells = changedCells(line);
  if (cells)
    return cells.flatMap(({ old, now, subject }) =>
      movesOf(line, () => subject, pricesOf(old, subject), pricesOf(now, subject)),
    );
  const now = pricesOf(line.text);
  const subjectFor = ({ amount }: Price) => subjectOf(line, amount);
  if (!line.partner) {
    const [price] = now;
    if (!price || isWhole(line.path) || line.links.length > 0 || isKnown(price.amount)) return [];
    const isStated = isRow(line)
      ? !hadPrices && priceWord.test(line.path)
      : now.some(({ unit }) => unit) && statesPrice.test(plainOf(line.text));
    return isStated ? [{ kind: "price", line, subject: subjectFor(price), old: "", now: shown(price) }] : [];
  }
  const old = pricesOf(line.partner.text);
  if (!isPriced([...old, ...now], line)) return [];
  if (old.length === 0 && !now.some(({ unit }) => unit) && !priceWord.test(shownOf(line.text))) return [];
  return movesOf(line, subjectFor, old, now);
}
