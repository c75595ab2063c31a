import { blockedScore } from "#lib/contract/blocked-content";
import { formatCount } from "#lib/platform/format-count";
import { compareTexts } from "#lib/tracking/diffs/index";
import { listNames } from "#lib/tracking/wording/index";
import { type Analysis, type Change, isBlockedChange, noText } from "../analysis";
import { chooseCategories } from "./choose-categories";
import { type Facts, readFacts } from "./facts/read-facts";
import { listFacts, listMoves } from "./facts/values";
import { isMajor, judgeSignificance } from "./judge-significance";
import { countLinks } from "./text/links";
import { outlineOf } from "./text/outline";
import type { ReadLine } from "./text/read-lines";
import { changedWords } from "./text/words";
import { joinSentences, writeSummary } from "./write-summary";

/** Version of the rules. To be changed when they judge a change differently. */
export const rulesVersion = "rules-12";

const maxQuoteCount = 5;
const [minQuoteLength, maxQuoteLength] = [3, 280];
const maxSectionCount = 50;
const maxIntroductionLength = 20_000;

const unsafe = /(?!\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;
const leadingMarks = /^[\s>]{0,40}(?:[-*+•]\s+)?/;

/** Returns a verbatim part of a text: from its first word, or from an index, on; cut at a word boundary if it is long. */
function quoteOf(text: string, from = 0): string {
  const start = Math.max(leadingMarks.exec(text)![0].length, from);
  const whole = text.slice(start, start + maxQuoteLength + 1).trimEnd();
  if (whole.length <= maxQuoteLength) return whole;
  const space = whole.lastIndexOf(" ", maxQuoteLength);
  // Does not split a surrogate pair.
  return whole.slice(0, space > maxQuoteLength / 2 ? space : maxQuoteLength).replace(/[\ud800-\udbff]$/, "");
}

function startOfChange({ text, partner }: ReadLine): number {
  if (text.length <= maxQuoteLength || !partner) return 0;
  const before = text.slice(0, Math.max(0, text.indexOf(changedWords(partner.text, text).now)));
  return [...before.matchAll(/[.!?;]["”)]?\s+/g)].reduce((_, end) => end.index + end[0].length, 0);
}

const isShowable = (quote: string) =>
  /[\p{L}\p{N}]/u.test(quote) && !unsafe.test(quote) && quote.length >= minQuoteLength;
const isHeading = ({ text }: ReadLine) => /^ {0,3}#/.test(text);

function chooseQuotes({ announcements, values, lines, links, reworded, textAdded, isSameContent }: Facts): string[] {
  if (isSameContent) return [];
  const isNew = new Set(lines.added);
  const addedTargets = new Set(links.added.map(({ target }) => target));
  const added = [
    ...announcements.filter(isMajor).map(({ line }) => line),
    ...values.map(({ line }) => line),
    ...announcements.map(({ line }) => line),
    ...lines.added.filter((line) => line.links.some(({ target }) => addedTargets.has(target))),
    ...reworded,
    ...textAdded,
  ].filter((line) => isNew.has(line) && !isHeading(line));
  const isOld = added.length === 0 && links.relinked.length === 0;
  const ranked = isOld ? lines.removed.filter((line) => !isHeading(line)) : added;
  const quotes = new Set<string>();
  for (const line of new Set(ranked)) {
    const quote = quoteOf(line.text, startOfChange(line));
    if (isShowable(quote)) quotes.add(quote);
    if (quotes.size === maxQuoteCount) break;
  }
  return [...quotes];
}

const limitPaths = (paths: readonly string[]) =>
  [...new Set(paths)].filter((path) => path !== "").slice(0, maxSectionCount);

function listSections({ sections, lines, outline }: Facts) {
  const renamed = [...sections.renamed, ...sections.moved];
  const newPaths = new Map(renamed.map(({ from, to }) => [from, to]));
  const changed = [
    ...renamed.map(({ to }) => to),
    ...lines.added.map(({ path }) => path || outline.title),
    ...lines.removed.map(({ path }) => newPaths.get(path) ?? (path || outline.title)),
  ];
  const whole = new Set([...sections.added, ...sections.removed].map(({ path }) => path));
  return {
    sectionsAdded: limitPaths(sections.added.map(({ path }) => path)),
    sectionsRemoved: limitPaths(sections.removed.map(({ path }) => path)),
    sectionsModified: limitPaths(changed.filter((path) => !whole.has(path))),
  };
}

function describeFirstVersion(text: string, vendorName: string): Analysis {
  const paths = limitPaths(outlineOf(text).sections.map(({ path }) => path));
  const tops = paths.filter((path) => !path.includes(" > "));
  const sections = tops.length > 0 ? `${formatCount(tops.length, "section")} (${listNames(tops, 5)})` : "no sections";
  // The quoted line below the title with which an `llms.txt` introduces itself.
  const introduction = /^> ?\S.*$/m.exec(text.slice(0, maxIntroductionLength))?.[0] ?? "";
  return {
    ...noText,
    summary: joinSentences([
      `First version of ${vendorName}'s file: ${sections} and ${formatCount(countLinks(text), "link")}.`,
    ]),
    significance: 1,
    categories: ["content-expansion"],
    sectionsAdded: paths,
    keyQuotes: [quoteOf(introduction)].filter(isShowable),
    byteSizeChangePct: 0,
  };
}

const emptied: Analysis = {
  ...noText,
  summary: "The text is empty: all of its content is gone.",
  significance: 5,
  categories: ["content-reduction"],
  byteSizeChangePct: -100,
};

/** Returns the growth in percent of an older size in bytes, with two decimals; 100 if that is 0. */
export function growthPct(before: number, after: number): number {
  if (before === 0) return after === 0 ? 0 : 100;
  return Math.round(((after - before) / before) * 10_000) / 100;
}

const growthOf = (before: string, after: string) => growthPct(Buffer.byteLength(before), Buffer.byteLength(after));

/** Returns the analysis of a change to a text that may attack its readers, without any of its own words. */
function describeAttack({ before, after, securityScore }: Change): Analysis {
  return {
    ...noText,
    summary: `The text has a security score of ${securityScore} out of 5: it may try to instruct models that read it. Its content is not repeated here.`,
    significance: 5,
    categories: ["security-advisory"],
    byteSizeChangePct: before === null ? 0 : growthOf(before, after),
  };
}

/** Returns the summary of a change from a text that may have attacked its readers, without any words of both. */
const describeRepair = ({ securityScore, previousSecurityScore }: Change) =>
  `The previous text had a security score of ${previousSecurityScore} out of 5: it may have tried to instruct models that read it. The new text has ${securityScore}. What was removed is not repeated.`;

/**
 * Analyses a change by rules only: the same change always gives the same analysis. Runs in linear time, and does not throw
 * for any content.
 */
export function analyseByRules(change: Change): Analysis {
  const { before, after, name } = change;
  if (change.securityScore >= blockedScore) return describeAttack(change);
  if (before === null) return describeFirstVersion(after, name);
  if (before.trim() !== "" && after.trim() === "") return emptied;
  const comparison = change.comparison ?? compareTexts(before, after);
  const facts = readFacts(before, { ...change, comparison });
  const verdict = {
    significance: judgeSignificance(facts),
    categories: chooseCategories(facts),
    byteSizeChangePct: growthOf(before, after),
  };
  if (isBlockedChange(change)) return { ...noText, ...verdict, summary: describeRepair(change) };
  return {
    ...verdict,
    summary: writeSummary(facts),
    ...listSections(facts),
    keyQuotes: chooseQuotes(facts),
    ...(facts.values.length > 0 && { facts: listFacts(facts.values), moves: listMoves(facts.values) }),
  };
}
