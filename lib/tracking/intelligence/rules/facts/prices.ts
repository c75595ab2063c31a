import { maxReadLineLength, plainOf, splitSentences } from "#lib/tracking/wording/index";
import type { ReadLine } from "../text/read-lines";
import { changedCells, clauseOf, entryOf, firstCellOf, isPlan, planWord, subjectOf } from "../text/subject";
import type { ValueContext, ValueFact } from "./kinds";

const period =
  "(?:\\s?\\/\\s?|\\s?(?:per|an?|each|every|pro|par|por|al|je)\\s)(?:\\d[\\d.,]{0,12}\\s?[kmb]?\\s?)?(?:million |thousand |provisioned |input |output |cached ){0,3}(?!(?:and|or)\\b)[\\p{L}]{1,20}";
const sum =
  "(?:[$€£¥]|\\b(?:usd|eur|gbp) )\\s?\\d[\\d.,]{0,20}(?<![.,])(?:\\s?(?:million|billion|[mbk])\\b)?|\\b\\d[\\d.,]{0,20}(?<![.,])\\s?(?:[€£¥]|(?:usd|eur|gbp|dollars?|euros?|cents?)\\b)";
const priced = new RegExp(`(${sum})[*_]{0,3}(?:\\s?\\+)?(${period}(?![\\p{L}]))?`, "giu");
const priceWord =
  /\b(?:pric(?:es?|ed|ing)|fees?|costs?|pays?(?!-)|paid|charged?|billed|billing|plans?|tiers?|rates?|credits?|grant|trial)\b/i;
const feeWord =
  /\b(?:fees?|commissions?|surcharges?|kickbacks?)\b|\b(?:payments?|transactions?|payouts?|transfers?) costs?\b/i;
const share = /\b\d{1,3}(?:[.,]\d{1,3})?\s?%/g;
const free =
  /\b(?:is|are|stays?|remains?) (?:completely |always )?free\b(?! (?:to|from|of (?!charge)))|(?:^|[:|–—-])\s*free\W*$/i;

const currencies = new Set(Intl.supportedValuesOf("currency"));
/** The currency that a column or row names for its numbers: `Team (USD)`. */
const namedCurrency = (about: string) =>
  [...about.matchAll(/\(([A-Z]{3}|[$€£¥])\)/g)]
    .map(([, name]) => name!)
    .find((name) => name.length < 3 || currencies.has(name));

type Price = { amount: string; unit: string };

/** Returns the prices of a line, or of a cell about something. Backslashes before a currency are removed. */
function pricesOf(text: string, about = ""): Price[] {
  const line = splitSentences(
    text
      .slice(0, maxReadLineLength)
      .replace(/\\(?=[$€£¥])/g, "")
      .replace(/([$€£¥]\s?)(?=\.\d)/g, "$10"),
  )
    .filter((sentence) => !hypothetical.test(sentence))
    .join(" ");
  const sums = [...line.matchAll(priced)].map(([, amount, unit = ""]) => ({
    amount: amount!.trim(),
    unit: unit.trim().replace(/^\/\s?/, "per "),
  }));
  const shares = feeWord.test(`${about} ${line}`) ? (line.match(share) ?? []) : [];
  const none = free.test(plainOf(line)) ? ["free"] : [];
  const currency = /^\W*\d[\d.,]*\W*$/.test(line) && namedCurrency(about);
  if (currency) return [{ amount: `${plainOf(line)} ${currency}`, unit: "" }];
  return [...sums, ...[...shares, ...none].map((amount) => ({ amount, unit: "" }))];
}

const currencyNames: Record<string, string> = { $: "usd", dollar: "usd", "€": "eur", euro: "eur", "£": "gbp" };

/** Returns a sum that is equal in other notations: `0.4 usd` of `$0.40`. Three decimals after a whole number may be thousands. */
function amountKey({ amount }: Price): string {
  const number = amount.match(/\d[\d.,]*/)?.[0] ?? "";
  const decimals = /^0[.,]\d+$|[.,]\d{1,2}$/.test(number);
  const currency = amount.replace(number, "").trim().toLowerCase().replace(/s$/, "");
  const plain = decimals ? number.replace(",", ".").replace(/\.?0+$/, "") : number;
  return `${plain} ${currencyNames[currency] ?? currency}`;
}

const shown = (price: Price | undefined) => (price ? `${price.amount} ${price.unit}`.trim() : "");
const keyOf = (price: Price) => `${amountKey(price)} ${price.unit}`.toLowerCase().replace(/\s+/g, " ");
const isShare = ({ amount }: Price) => amount.endsWith("%");

function only(prices: readonly Price[], others: readonly Price[]): Price[] {
  const left = others.map(keyOf);
  return prices.filter((price) => {
    const at = left.indexOf(keyOf(price));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Returns what a price is for: `month` of `a month` and `per month`. */
const periodOf = ({ unit }: Price) => unit.toLowerCase().replace(/^(?:per|an?|each|every) /, "");

/** Whether two prices are for the same, also if one abbreviates it: `mo` has letters of `month` in their order, and its first one. */
function hasSamePeriod(a: Price, b: Price): boolean {
  const [short, long] = [periodOf(a), periodOf(b)].sort((one, other) => one.length - other.length) as [string, string];
  if (short === long) return true;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return short.length > 1 && short[0] === long[0] && at === short.length;
}

/** Returns the moves from some prices to others with the same unit, in order, never of sums to percentages. */
function movesOf(line: ReadLine, subjectFor: (price: Price) => string, old: Price[], now: Price[]): ValueFact[] {
  const [left, come] = [only(old, now), only(now, old)];
  const moves = come.map((to) => {
    const at = left.findIndex((from) => isShare(from) === isShare(to) && hasSamePeriod(from, to));
    return { to, from: at < 0 ? undefined : left.splice(at, 1)[0] };
  });
  // A number that the line had without its currency is no new price.
  const older = line.partner?.text ?? "";
  const isSame = ({ to, from }: (typeof moves)[number]) => from !== undefined && amountKey(from) === amountKey(to);
  const stated = moves
    .filter((move) => !isSame(move))
    .filter(({ to, from }) => from || !older.includes(to.amount.replace(/^\D+/, "")));
  return [...stated, ...left.map((from) => ({ to: undefined, from }))].map(({ to, from }) => {
    return { kind: "price", line, subject: subjectFor((to ?? from)!), old: shown(from), now: shown(to) };
  });
}

const isAbout = (line: ReadLine) => priceWord.test(`${line.path} ${plainOf(line.text)}`);
/** Whether a sum is the first that a line says of its entry: `- Business: $499`. */
const firstSum = new RegExp(`[:—–]\\W*(?:${sum})`, "iu");
const isPriced = (line: ReadLine) => firstSum.test(line.text) && entryOf(line) !== "";
/** Sentences about what only could be: sums in them are examples. */
const hypothetical = /\b(?:suppos(?:e|ing)|imagine|assum(?:e|ing)|let's say|for (?:example|instance)|e\.g\.)/i;

/** Returns the first price that a line states which replaced no other, if the other version does not have it. */
function readUnpaired(line: ReadLine, side: "old" | "now", isInOther: (value: string) => boolean): ValueFact[] {
  const prices = pricesOf(line.text);
  const price = prices.find(({ amount }) => !/^\D*0(?:[.,]0+)?\D*$|^free$/.test(amount)) ?? prices[0];
  if (!price) return [];
  const isFree = price.amount === "free";
  const subject = subjectOf(line, isFree ? "" : price.amount);
  const isStated = isFree
    ? (isPlan(subject) || planWord.test(line.text)) && !isInOther(`${clauseOf(line).words} is free`)
    : (prices.some(({ unit }) => unit !== "") ||
        /\b(?:pric\w*|costs?|fees?)\b/i.test(firstCellOf(line.text)) ||
        /\bfees?\b/i.test(line.text)) &&
      !isInOther(price.amount);
  return isStated ? [{ kind: "price", line, subject, old: "", now: "", [side]: shown(price) }] : [];
}

export const readLostPrices = (line: ReadLine, { isInNewer }: ValueContext) =>
  line.partner || line.isCode || line.isMeta ? [] : readUnpaired(line, "old", isInNewer);

/**
 * Returns the prices that an added line changes: a sum on both sides is a price, one on a single side needs words of prices. A
 * price in a new line needs a unit, and those of new sections and entries are no change.
 */
export function readPrices(line: ReadLine, { isInOlder, isWhole, hadPrices }: ValueContext): ValueFact[] {
  if (line.isCode || /\bexamples?\b/i.test(line.path)) return [];
  const cells = changedCells(line);
  if (cells)
    return cells.flatMap(({ old, now, subject, isSameRow }) =>
      !isSameRow ? [] : movesOf(line, () => subject, pricesOf(old, subject), pricesOf(now, subject)),
    );
  if (line.partner) {
    const [old, now] = [pricesOf(line.partner.text), pricesOf(line.text)];
    const isMove =
      (old.length > 0 && now.length > 0) || [line, line.partner].some((each) => isAbout(each) || isPriced(each));
    const subjectFor = ({ amount }: Price) => subjectOf(line.text.includes(amount) ? line : line.partner!, amount);
    return isMove ? movesOf(line, subjectFor, old, now) : [];
  }
  const isEntry = line.links.length > 0 || (hadPrices && firstCellOf(line.text) !== "");
  if (isEntry || isWhole(line.path) || !isAbout(line)) return [];
  return readUnpaired(line, "now", isInOlder).filter(({ now }) => now !== "free");
}
