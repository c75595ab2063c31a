import { type Analysis, type Change, type IntelligenceCategory, intelligenceCategories } from "../analysis";
import { outlineOf } from "../rules/outline";
import { type ModelAnswer, maxSummaryLength } from "./answer-schema";
import { refuseSummary } from "./refuse-summary";

/** Most quotes of a report, and how long one is, in UTF-16 code units. */
const maxQuoteCount = 3;
const [minQuoteLength, maxQuoteLength] = [4, 300];
/** Most sections of a report on each list. */
const maxSectionCount = 50;

const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]+/gu;

/** A text as one line without anything unseen; a longer one ends at a word. */
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

/** Within one of the rules' rating, and of the scale. */
function clampSignificance(significance: number, rules: Analysis["significance"]): Analysis["significance"] {
  const wanted = Number.isFinite(significance) ? Math.round(significance) : rules;
  return Math.min(5, rules + 1, Math.max(1, rules - 1, wanted)) as Analysis["significance"];
}

const isCategory = (name: string): name is IntelligenceCategory =>
  (intelligenceCategories as readonly string[]).includes(name);

/** Lines that the older text has alone. */
function removedLines(change: Change): string {
  const lines = change.comparison?.text.split("\n") ?? [];
  return lines.flatMap((line) => (line.startsWith("-") ? [line.slice(1)] : [])).join("\n");
}

/** Quotes that stand word for word in the newer text or in what was removed, each on its line. */
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

/** Paths that are headings of one of the texts; one that begins with the file's title is taken without it. */
function verifySections(paths: readonly string[], texts: readonly (string | null)[]): string[] {
  const outlines = texts.map((text) => outlineOf(text ?? ""));
  const known = new Set(outlines.flatMap(({ sections }) => sections.map(({ path }) => path)));
  known.delete("");
  const mended = paths.map((given) => {
    const path = given.trim().replace(/^#{1,6} /, "");
    const title = outlines.find((outline) => path.startsWith(`${outline.title} > `))?.title;
    return known.has(path) || title === undefined ? path : path.slice(title.length + 3);
  });
  return [...new Set(mended)].filter((path) => known.has(path)).slice(0, maxSectionCount);
}

/** What is left of a model's answer once it is checked against the texts, or why nothing is. */
export type Verified = { analysis: Analysis } | { refusal: string };

/** Checks what a model said of a change against the texts and the rules' view. */
export function verifyAnswer(
  answer: ModelAnswer,
  { change, rules, boundary }: { change: Change; rules: Analysis; boundary: string },
): Verified {
  const summary = oneLine(answer.summary, maxSummaryLength);
  if (summary === "") return { refusal: "empty" };
  const everything = Object.values(answer).flat().join("\n");
  const refusal = everything.includes(boundary)
    ? "fence"
    : refuseSummary(summary, { change, boundary, rulesSummary: rules.summary });
  if (refusal) return { refusal };
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
