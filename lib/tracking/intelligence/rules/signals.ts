import { maxReadLineLength, plainOf } from "./plain-text";
import type { ReadLine } from "./read-lines";
import { constancy, datePattern, denial, description, type SignalKind, wordings } from "./wording";

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
function comparePrices({ text, partner, links }: ReadLine): "change" | "mention" | undefined {
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

/** What the words of an added line tell. */
export type Signal = {
  kind: SignalKind;
  line: ReadLine;
  /** As the text has it; empty where it names none. */
  date: string;
  /** Whether it tells of something as such, such as a page on prices, without announcing a change. */
  isMention: boolean;
};

/** Sentences of a line that are read, and the code units of each. */
const maxSentenceCount = 60;
const maxSentenceLength = 400;

/** Whatever has one of these is read closely; all other lines say nothing. */
const prefilter =
  /cve-|secur|vulnerab|compromis|breach|rotate|deprec|sunset|end[- ]of|eol\b|no longer|discontinu|phas(?:e|ing)|decommis|retir|shut|remov|withdraw|switched|turned|stop|\bend(?:s|ing)?\b|clos(?:e|ing)|break|incompat|renam|reject|refus|requir|mandatory|must|gone|replace|answers|fails?\b|enforce|revok|expire|pric|fee|cost|bill|free|charge|pay|model|introduc|announc|releas|launch|available|new\b|\bnow\b|beta|preview|early|fix|bug|resolv|sdk|librar|client|package|driver|cli /i;

const installation =
  /`[^`]*\b(?:npm (?:i|install)|pnpm add|yarn add|bun add|pip install|uv add|gem install|cargo add|go get|composer require|dotnet add|brew install)\b[^`]*`/i;

function sentencesOf(plain: string): string[] {
  const sentences = plain.split(/(?<=[.!?;])\s|\s[—|]\s/);
  return sentences.slice(0, maxSentenceCount).map((sentence) => sentence.slice(0, maxSentenceLength));
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}.]*[\p{L}\p{N}]/gu));

/** Whether words say something that the older line did not: themselves, or beside numbers that it lacked. */
function isFresh(words: string, sentence: string, old: ReadonlySet<string> | undefined): boolean {
  if (!old) return true;
  const own = [...wordsOf(words)];
  if (own.some((word) => !old.has(word))) return true;
  return [...wordsOf(sentence)].some((word) => /\d/.test(word) && !old.has(word));
}

/** Whether the words at a place announce something: no denial in front of them, and no mere subject of a page. */
function announces(sentence: string, at: number): boolean {
  return !denial.test(sentence.slice(Math.max(0, at - 60), at));
}

function readSentence(sentence: string, line: ReadLine, old: ReadonlySet<string> | undefined): Signal[] {
  const signals: Signal[] = [];
  for (const { kind, strong, weak, marker, needs } of wordings) {
    if (needs && !needs.test(sentence)) continue;
    const strongMatch = strong?.exec(sentence);
    const weakMatch = strongMatch ? null : weak?.exec(sentence);
    const match = strongMatch ?? (weakMatch && marker?.test(sentence) ? weakMatch : null);
    if (!match || !isFresh(match[0], sentence, old) || !announces(sentence, match.index)) continue;
    if (kind === "pricing" && constancy.test(sentence)) continue;
    const isSubject = description.test(sentence.slice(Math.max(0, match.index - 100), match.index));
    signals.push({ kind, line, date: datePattern.exec(sentence)?.[0] ?? "", isMention: isSubject });
  }
  return signals;
}

function readPrices(line: ReadLine): Signal[] {
  const finding = comparePrices(line);
  return finding
    ? [{ kind: "pricing", line, date: datePattern.exec(line.text)?.[0] ?? "", isMention: finding === "mention" }]
    : [];
}

const shorten = (text: string) => text.slice(0, maxReadLineLength);

/** What the words of an added line tell; code and addresses tell nothing, but for installation commands. */
function readLine(line: ReadLine): Signal[] {
  const signals: Signal[] = [];
  if (!line.isCode) {
    const text = shorten(line.text);
    if (prefilter.test(text)) {
      const old = line.partner && wordsOf(plainOf(line.partner.text));
      for (const sentence of sentencesOf(plainOf(text))) signals.push(...readSentence(sentence, line, old));
    }
    signals.push(...readPrices(line));
  }
  const command = installation
    .exec(line.isCode ? `\`${shorten(line.text)}\`` : shorten(line.text))?.[0]
    .replaceAll("`", "");
  const isInstallation = command !== undefined && !line.partner?.text.includes(command);
  if (isInstallation) signals.push({ kind: "sdk", line, date: "", isMention: false });
  return signals;
}

/** What the words of the added lines tell. */
export function readSignals(added: readonly ReadLine[]): Signal[] {
  return added.flatMap(readLine);
}
