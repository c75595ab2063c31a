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

/** Returns the amounts of money in a line, verbatim. */
export function amountsOf(line: string): string[] {
  return line.slice(0, maxReadLineLength).match(amount) ?? [];
}

/** Returns the quantities in the sentences of a line that mention prices or plans. */
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
 * Returns whether a line changes a price (`change`) or only mentions prices (`mention`). The price of something new is
 * not a price change.
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

/** A statement in an added line. */
export type Signal = {
  kind: SignalKind;
  line: ReadLine;
  /** Verbatim from the text; empty if there is none. */
  date: string;
  /** Whether the topic is only mentioned, such as by a page about prices, and no change is announced. */
  isMention: boolean;
};

/** Most sentences per line that are read, and the longest sentence in UTF-16 code units. */
const maxSentenceCount = 60;
const maxSentenceLength = 400;

/** Lines without a match contain no signal and are skipped for speed. */
const prefilter =
  /cve-|secur|vulnerab|compromis|breach|rotate|deprec|sunset|end[- ]of|eol\b|no longer|discontinu|phas(?:e|ing)|decommis|retir|shut|remov|withdraw|switched|turned|stop|\bend(?:s|ing)?\b|clos(?:e|ing)|break|incompat|renam|reject|refus|requir|mandatory|must|gone|replace|answers|fails?\b|enforce|revok|expire|pric|fee|cost|bill|free|charge|pay|model|introduc|announc|releas|launch|available|new\b|\bnow\b|beta|preview|early|fix|bug|resolv|sdk|librar|client|package|driver|cli /i;

const installation =
  /`[^`]*\b(?:npm (?:i|install)|pnpm add|yarn add|bun add|pip install|uv add|gem install|cargo add|go get|composer require|dotnet add|brew install)\b[^`]*`/i;

function sentencesOf(plain: string): string[] {
  const sentences = plain.split(/(?<=[.!?;])\s|\s[—|]\s/);
  return sentences.slice(0, maxSentenceCount).map((sentence) => sentence.slice(0, maxSentenceLength));
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}.]*[\p{L}\p{N}]/gu));

/** Whether the matched words, or a number in their sentence, are missing in the older line. */
function isFresh(words: string, sentence: string, old: ReadonlySet<string> | undefined): boolean {
  if (!old) return true;
  const own = [...wordsOf(words)];
  if (own.some((word) => !old.has(word))) return true;
  return [...wordsOf(sentence)].some((word) => /\d/.test(word) && !old.has(word));
}

/** Whether the words at an index announce something, that is, are not preceded by a denial. */
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

/** Returns the signals of an added line. Code and URLs contain none, except installation commands. */
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

/** Returns the signals of the added lines. */
export function readSignals(added: readonly ReadLine[]): Signal[] {
  return added.flatMap(readLine);
}
