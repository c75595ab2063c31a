import { scoreSecurity } from "#lib/tracking/security/index";
import { type Analysis, type Change, type IntelligenceCategory, intelligenceCategories } from "../analysis";
import { outlineOf } from "../rules/text/outline";
import { type ModelAnswer, maxSummaryLength } from "./answer-schema";

const number = /\d+(?:[.,]\d+)*/g;

/** Returns a number without separators of thousands, leading zeros and trailing zeros of decimals. */
function normalize(found: string): string {
  const plain = found.replace(/,(?=\d{3}(?!\d))/g, "").replace(",", ".");
  const value = Number(plain);
  return Number.isFinite(value) ? `${value}` : plain;
}

/** Counts of a change that the prompt names. */
function countsOf({ comparison }: Change, rules: Analysis): number[] {
  const size = Math.abs(rules.byteSizeChangePct);
  return [
    ...[comparison?.linesAdded, comparison?.linesRemoved, comparison?.linesMoved].map((count) => count ?? 0),
    ...[comparison?.linksAdded.length, comparison?.linksRemoved.length].map((count) => count ?? 0),
    ...[rules.sectionsAdded.length, rules.sectionsRemoved.length, rules.sectionsModified.length],
    ...[size, Math.round(size), Math.round(size * 10) / 10],
  ];
}

/**
 * Returns a number of a summary that is in neither version of the text, nor a count that the prompt names, nor in the
 * rules' summary; undefined if there is none. Runs in linear time.
 */
function findForeignNumber(summary: string, change: Change, rules: Analysis): string | undefined {
  const wanted = new Set((summary.match(number) ?? []).map(normalize));
  for (const count of countsOf(change, rules)) wanted.delete(`${count}`);
  for (const text of [rules.summary, change.after, change.before ?? ""]) {
    if (wanted.size === 0) return undefined;
    for (const [found] of text.matchAll(number)) {
      if (wanted.delete(normalize(found)) && wanted.size === 0) return undefined;
    }
  }
  return [...wanted][0];
}

/** Dots of other scripts that are valid in host names. */
const otherDots = /[\u3002\uff0e\uff61]/g;
const invisibleCharacters = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;
const disguisedDot = /\s*(?:\[\s*(?:\.|dot)\s*\]|\(\s*(?:\.|dot)\s*\)|\{\s*(?:\.|dot)\s*\})\s*/giu;

const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}])?";
const hostPattern = new RegExp(`(?:${label}\\.){1,10}(?:xn--[a-z0-9-]{2,59}|\\p{L}{2,24})(?![\\p{L}\\p{N}])`, "giu");
const schemePattern = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s<>"')\]/?#]+)/giu;

/** Top-level domains that rarely end names in code. All two-letter endings count as well. */
const hostEndings = new Set(
  (
    "com net org info biz dev app xyz online site top shop cloud tech store live link click page pro club space " +
    "website fun icu vip work world life today news blog email support help zone host agency company digital " +
    "finance money bank crypto download stream chat social name mobi asia wiki one run sh systems software tools"
  ).split(" "),
);
/** Two-letter file extensions that are not country domains. */
const fileEndings = new Set(["js", "ts", "go", "jl", "kt", "cs", "rb", "ex"]);

/** Normalizes a text for the search of addresses: lowercase, one kind of dot, no invisible characters. */
function addressText(text: string): string {
  return text.replace(invisibleCharacters, "").replace(otherDots, ".").toLowerCase();
}

/** Returns the hosts, files and other dotted names in a text, in lowercase, including disguised ones. */
function dottedNamesOf(text: string): string[] {
  const plain = addressText(text.replace(invisibleCharacters, "").normalize("NFKC").replace(disguisedDot, "."));
  const hosts = [...plain.matchAll(schemePattern)].map(([, host]) => host!.replace(/^.*@|:\d*$/g, ""));
  return [...new Set([...hosts, ...(plain.match(hostPattern) ?? [])])];
}

/** Whether a dotted name reads as a host rather than as a file or as code. */
function looksLikeHost(name: string): boolean {
  const ending = name.slice(name.lastIndexOf(".") + 1);
  if (!/^[a-z]+$/.test(ending)) return true;
  return hostEndings.has(ending) || (ending.length === 2 && !fileEndings.has(ending));
}

/** Returns only the letters and digits, in lowercase. */
const lettersAndDigits = (text: string) =>
  addressText(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Whether a name is foreign to a change: not in its texts, or a new host that is not the vendor's. */
function isForeign(name: string, { before, after, domain }: Change): boolean {
  if (name === domain || name.endsWith(`.${domain}`) || name === "llms.txt" || name === "llms-full.txt") return false;
  if (before !== null && addressText(before).includes(name)) return false;
  return looksLikeHost(name) || !addressText(after).includes(name);
}

/** Whether a word of the summary occurs in the given texts. */
function isAbout(summary: string, texts: readonly string[]): boolean {
  const words = summary.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const known = texts.map((text) => text.toLowerCase());
  return words.some((word) => known.some((text) => text.includes(word)));
}

/**
 * Returns why a summary must not be published, in a few words, or null. An answer that obeyed the text that it should
 * describe is recognized by the boundary, by addresses that are not the vendor's, by instructions, by repeating the text,
 * or by being unrelated to the change.
 */
export function refuseSummary(
  summary: string,
  { change, boundary, rulesSummary }: { change: Change; boundary: string; rulesSummary: string },
): string | null {
  const { after, name, domain, comparison } = change;
  if (summary.includes(boundary) || /<\/?data-/i.test(summary)) return "contains the boundary";
  if (dottedNamesOf(summary).some((address) => isForeign(address, change))) return "contains a foreign address";
  if (scoreSecurity(summary, { domain }).score > 0) return "contains an instruction";
  if (lettersAndDigits(after).includes(lettersAndDigits(summary))) return "repeats the text";
  if (!isAbout(summary, [comparison?.text ?? "", name, rulesSummary])) return "unrelated to the change";
  return null;
}

/** Most quotes per report, and the shortest and longest quote in UTF-16 code units. */
const maxQuoteCount = 3;
const [minQuoteLength, maxQuoteLength] = [4, 300];
/** Most sections in each list of a report. */
const maxSectionCount = 50;

const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]+/gu;

/** Returns a text as one line without invisible characters, cut at a word boundary if it is too long. */
function oneLine(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 8)
    .replace(invisible, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= maxLength) return line;
  const cut = line.slice(0, maxLength - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), maxLength >> 1)).replace(/[\p{Cs}\s]+$/u, "")}…`;
}

/** Limits a significance to the scale, and to one more or less than that of the rules. */
function clampSignificance(significance: number, rules: Analysis["significance"]): Analysis["significance"] {
  const wanted = Number.isFinite(significance) ? Math.round(significance) : rules;
  return Math.min(5, rules + 1, Math.max(1, rules - 1, wanted)) as Analysis["significance"];
}

const isCategory = (name: string): name is IntelligenceCategory =>
  (intelligenceCategories as readonly string[]).includes(name);

/** Returns the lines that only the older text has. */
function removedLines(change: Change): string {
  const lines = change.comparison?.text.split("\n") ?? [];
  return lines.flatMap((line) => (line.startsWith("-") ? [line.slice(1)] : [])).join("\n");
}

/** Returns the quotes that occur verbatim in the newer text or in the removed lines, one line each. */
function verifyQuotes(quotes: readonly string[], change: Change): string[] {
  const removed = removedLines(change);
  const isInText = (quote: string) => change.after.includes(quote) || removed.includes(quote);
  const verified = quotes
    .flatMap((quote) => quote.split(/\r?\n/))
    .map((line) => line.trim())
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

/** The verified analysis, or why the answer was rejected. */
type Verified = { analysis: Analysis } | { refusal: string };

/** Verifies a model's answer about a change against the texts and the analysis by rules. */
export function verifyAnswer(
  answer: ModelAnswer,
  { change, rules, boundary }: { change: Change; rules: Analysis; boundary: string },
): Verified {
  const summary = oneLine(answer.summary, maxSummaryLength);
  if (summary === "") return { refusal: "empty summary" };
  const everything = Object.values(answer).flat().join("\n");
  const refusal = everything.includes(boundary)
    ? "contains the boundary"
    : refuseSummary(summary, { change, boundary, rulesSummary: rules.summary });
  if (refusal) return { refusal };
  if (findForeignNumber(summary, change, rules) !== undefined) return { refusal: "contains a foreign number" };
  const categories = [...new Set(answer.categories)].filter(isCategory);
  const { before, after } = change;
  return {
    analysis: {
      summary,
      significance: clampSignificance(answer.significance, rules.significance),
      categories: categories.length > 0 ? categories : rules.categories,
      sectionsAdded: verifySections(answer.sections_added, [after]),
      sectionsRemoved: verifySections(answer.sections_removed, [before]),
      sectionsModified: verifySections(answer.sections_modified, [before, after]),
      keyQuotes: verifyQuotes(answer.key_quotes, change),
      byteSizeChangePct: rules.byteSizeChangePct,
    },
  };
}
