import { intelligenceCategorySchema } from "#lib/tracking/report-categories/index";
import { scoreSecurity } from "#lib/tracking/security/index";
import { cutText } from "#lib/tracking/wording/index";
import type { Analysis, Change, Move } from "../analysis";
import { outlineOf } from "../rules/text/outline";
import { type ModelAnswer, maxSummaryLength } from "./answer-schema";

/** A number that is no percentage, which can be computed from others. */
const number = /\d+(?:[.,]\d+)*(?![\d.,]*\s?(?:%|percent))/g;

/** Returns a number without separators of thousands, leading zeros and trailing zeros of decimals. */
function normalize(found: string): string {
  const plain = found.replace(/,(?=\d{3}(?!\d))/g, "").replace(",", ".");
  return Number.isFinite(Number(plain)) ? `${Number(plain)}` : plain;
}

const numbersOf = (text: string) => new Set((text.match(/\d+(?:[.,]\d+)*/g) ?? []).map(normalize));

const linesOf = ({ comparison }: Change, mark: "+" | "-") =>
  (comparison?.text.split("\n") ?? []).flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : [])).join("\n");

function hasForeignNumber(summary: string, { before, after, comparison }: Change, rules: Analysis): boolean {
  const { sectionsAdded, sectionsRemoved, sectionsModified } = rules;
  const lists = [comparison?.linksAdded, comparison?.linksRemoved, sectionsAdded, sectionsRemoved, sectionsModified];
  const counts = [comparison?.linesAdded, comparison?.linesRemoved, ...lists.map((list) => list?.length)];
  const known = numbersOf([before, after, rules.summary, ...counts].join("\n"));
  return (summary.match(number) ?? []).some((found) => !known.has(normalize(found)));
}

const sum = "[^\\d\\s]{0,4}\\s?(\\d+(?:[.,]\\d+)*)";
const fromTo = new RegExp(`\\bfrom ${sum}[^.;]{0,40}?\\bto ${sum}|${sum}[^.;\\d]{0,30}(?:→|->)\\s?${sum}`, "gi");
const rising =
  /\b(?:ris(?:es?|ing|en)|rose|increas\w+|go(?:es)? up|more expensive|higher|doubl\w+|rais\w+|grow\w*|up (?:from|to))\b/i;
const falling =
  /\b(?:fall\w*|fell|decreas\w+|drop\w*|go(?:es)? down|cheaper|lower\w*|halv\w+|reduc\w+|cut\w*|down (?:from|to))\b/i;
const priceWord = /\b(?:pric\w+|costs?|fees?|plans?|tiers?|cheap\w*|expensive)\b|[$€£¥]/i;

/** Whether a summary has an old value for the new one, or says of values that they fall where they rose, or the reverse. */
function isReversed(summary: string, change: Change, moves: readonly Move[]): boolean {
  const [removed, added] = [numbersOf(linesOf(change, "-")), numbersOf(linesOf(change, "+"))];
  for (const [, from, to, left, right] of summary.matchAll(fromTo)) {
    const [old, now] = [normalize(from ?? left ?? ""), normalize(to ?? right ?? "")];
    if (removed.has(now) && added.has(old) && !(removed.has(old) && added.has(now))) return true;
  }
  const directionOf = ({ old, now }: Move) => Math.sign(now - old);
  return summary.split(/[.;](?=\s|$)|, (?:and|while|but) /).some((sentence) => {
    const stated = numbersOf(sentence);
    const named = moves.filter(({ old, now }) => stated.has(`${now}`) || stated.has(`${old}`));
    const meant = named.length > 0 ? named : moves.filter(({ kind }) => kind === "price" && priceWord.test(sentence));
    const said = (rising.test(sentence) ? 1 : 0) - (falling.test(sentence) ? 1 : 0);
    return said !== 0 && meant.length > 0 && meant.every((move) => directionOf(move) === -said);
  });
}

const otherDots = /[\u3002\uff0e\uff61]/g;
const invisibleCharacters = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;
const disguisedDot = /\s*(?:\[\s*(?:\.|dot)\s*\]|\(\s*(?:\.|dot)\s*\)|\{\s*(?:\.|dot)\s*\})\s*/giu;
const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}])?";
const hostPattern = new RegExp(`(?:${label}\\.){1,10}(?:xn--[a-z0-9-]{2,59}|\\p{L}{2,24})(?![\\p{L}\\p{N}])`, "giu");
const schemePattern = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s<>"')\]/?#]+)/giu;

const addressText = (text: string) => text.replace(invisibleCharacters, "").replace(otherDots, ".").toLowerCase();

/** Returns the hosts, files and other dotted names in a text, in lowercase, including disguised ones. */
function dottedNamesOf(text: string): string[] {
  const plain = addressText(text.replace(invisibleCharacters, "").normalize("NFKC").replace(disguisedDot, "."));
  const hosts = [...plain.matchAll(schemePattern)].map(([, host]) => host!.replace(/^.*@|:\d*$/g, ""));
  return [...new Set([...hosts, ...(plain.match(hostPattern) ?? [])])];
}

/** Endings that hosts have and names in code rarely do. Two-letter ones, except those of files, are countries. */
const hostEnding =
  /\.(?:com|net|org|info|biz|dev|app|xyz|online|site|top|shop|cloud|tech|store|live|link|click|page|pro|club|space|website|fun|icu|vip|work|world|life|today|news|blog|email|support|help|zone|host|agency|company|digital|finance|money|bank|crypto|download|stream|chat|social|name|mobi|asia|wiki|one|run|sh|systems|software|tools|(?!js|ts|go|jl|kt|cs|rb|ex)[a-z]{2}|[^.]*[^a-z.][^.]*)$/;

/** Whether a name is foreign to a change: not in its texts, or a new host that is not the vendor's. */
function isForeign(name: string, { before, after, domain }: Change): boolean {
  if (name === domain || name.endsWith(`.${domain}`) || name === "llms.txt" || name === "llms-full.txt") return false;
  if (before !== null && addressText(before).includes(name)) return false;
  return hostEnding.test(name) || !addressText(after).includes(name);
}

/**
 * Returns why a summary must not be published, in a few words, or null. An answer that obeyed the text that it should
 * describe is recognized by the boundary, by addresses that are not the vendor's, and by instructions.
 */
export function refuseSummary(
  summary: string,
  { change, boundary, rules }: { change: Change; boundary: string; rules: Analysis },
): string | null {
  if (!/\p{L}/u.test(summary)) return "empty summary";
  if (summary.includes(boundary) || /<\/?data-/i.test(summary)) return "contains the boundary";
  if (dottedNamesOf(summary).some((address) => isForeign(address, change))) return "contains a foreign address";
  if (scoreSecurity(summary, { domain: change.domain }).score > 0) return "contains an instruction";
  if (hasForeignNumber(summary, change, rules)) return "contains a foreign number";
  return isReversed(summary, change, rules.moves ?? []) ? "reverses old and new" : null;
}

const maxQuoteCount = 3;
const [minQuoteLength, maxQuoteLength] = [4, 300];
const maxSectionCount = 50;

const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]+/gu;

function verifyQuotes(quotes: readonly string[], { after }: Change, removed: string): string[] {
  const isInText = (quote: string) => after.includes(quote) || removed.includes(quote);
  const lines = quotes.flatMap((quote) => quote.split(/\r?\n/)).map((line) => line.trim());
  const verified = lines
    .map((line) => (isInText(line) ? line : line.replace(/^[-+<>] ?/, "").trim()))
    .filter((line) => line.length >= minQuoteLength && line.length <= maxQuoteLength)
    .filter((line) => line.search(invisible) < 0 && isInText(line));
  return [...new Set(verified)].slice(0, maxQuoteCount);
}

/** Returns the paths that are headings of one of the texts, without a leading file title. */
function verifySections(paths: readonly string[], texts: readonly (string | null)[]): string[] {
  const outlines = texts.map((text) => outlineOf(text ?? ""));
  const known = new Set(outlines.flatMap(({ sections }) => sections.map(({ path }) => path)));
  known.delete("");
  const corrected = paths.map((given) => {
    const path = given.trim().replace(/^#{1,6} /, "");
    const title = outlines.find((outline) => path.startsWith(`${outline.title} > `))?.title;
    return known.has(path) || title === undefined ? path : path.slice(title.length + 3);
  });
  return [...new Set(corrected)].filter((path) => known.has(path)).slice(0, maxSectionCount);
}

/**
 * Verifies a model's answer about a change against the texts and the analysis by rules. Returns the analysis, or why the answer
 * was rejected. Its significance is at least one less than that of the rules, and higher only with a quote of a changed line.
 */
export function verifyAnswer(
  answer: ModelAnswer,
  { change, rules, boundary }: { change: Change; rules: Analysis; boundary: string },
): { analysis: Analysis } | { refusal: string } {
  const summary = cutText(answer.summary.replace(invisible, " "), maxSummaryLength);
  const everything = Object.values(answer).flat().join("\n");
  const refusal = everything.includes(boundary)
    ? "contains the boundary"
    : refuseSummary(summary, { change, boundary, rules });
  if (refusal) return { refusal };
  const categories = [...new Set(answer.categories)].flatMap(
    (name) => intelligenceCategorySchema.safeParse(name).data ?? [],
  );
  const { before, after } = change;
  const [removed, added] = [linesOf(change, "-"), linesOf(change, "+")];
  const keyQuotes = verifyQuotes(answer.key_quotes, change, removed);
  const highest = keyQuotes.some((quote) => added.includes(quote) || removed.includes(quote)) ? 5 : rules.significance;
  const wanted = Number.isFinite(answer.significance) ? Math.round(answer.significance) : rules.significance;
  return {
    analysis: {
      summary,
      significance: Math.min(highest, Math.max(1, rules.significance - 1, wanted)),
      categories: categories.length > 0 ? categories : rules.categories,
      sectionsAdded: verifySections(answer.sections_added, [after]),
      sectionsRemoved: verifySections(answer.sections_removed, [before]),
      sectionsModified: verifySections(answer.sections_modified, [before, after]),
      keyQuotes,
      byteSizeChangePct: rules.byteSizeChangePct,
    },
  };
}
