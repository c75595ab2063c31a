import { blockedScore } from "#lib/contract/blocked-content";
import { type Analysis, type Change, isBlockedChange } from "../analysis";
import { chooseCategories } from "./choose-categories";
import { type Facts, readFacts } from "./facts/read-facts";
import { listFacts } from "./facts/value-facts";
import { isMajor, judgeSignificance } from "./judge-significance";
import { outlineOf } from "./text/outline";
import { counted, countLinks, listNames, maxReadLineLength } from "./text/plain-text";
import type { ReadLine } from "./text/read-lines";
import { joinSentences, writeSummary } from "./write-summary";

/** Most quotes per report, and the shortest and longest quote in UTF-16 code units. */
const maxQuoteCount = 5;
const [minQuoteLength, maxQuoteLength] = [3, 280];

/** Control characters, and characters that change the writing direction. */
const unsafe = /(?!\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

const leadingMarks = /^[\s>]{0,40}(?:[-*+•]\s+)?/;
const sentenceEnd = /[.!?;]["”)]?\s+/g;

/** Returns where the first sentence of a line begins that the line it replaced does not have in the same place. */
function startOfChange({ text, partner }: ReadLine): number {
  const old = partner?.text ?? "";
  const limit = Math.min(text.length, old.length, maxReadLineLength);
  let at = 0;
  while (at < limit && text[at] === old[at]) at++;
  const ends = [...text.slice(0, at).matchAll(sentenceEnd)];
  const end = ends.at(-1);
  return end ? end.index + end[0].length : 0;
}

/** Returns a verbatim part of a text: from its first word, or from an index, on; cut at a word boundary if it is long. */
function quoteOf(text: string, from = 0): string {
  const start = Math.max(leadingMarks.exec(text)![0].length, from);
  const whole = text.slice(start, start + maxQuoteLength + 1).trimEnd();
  if (whole.length <= maxQuoteLength) return whole;
  const space = whole.lastIndexOf(" ", maxQuoteLength);
  const cut = whole.slice(0, space > maxQuoteLength / 2 ? space : maxQuoteLength);
  // Does not split a surrogate pair.
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Returns the quote of a line; of one that is too long, from the sentence on that changed. */
const quoteOfLine = (line: ReadLine) => quoteOf(line.text, line.text.length > maxQuoteLength ? startOfChange(line) : 0);

/** Whether a quote contains a letter or digit and no unsafe characters. */
const isShowable = (quote: string) => /[\p{L}\p{N}]/u.test(quote) && !unsafe.test(quote);

const isHeading = ({ text }: ReadLine) => /^ {0,3}#/.test(text);

/** Returns the lines that say most about a change, the most important first; of the older text only if nothing was added. */
function rankedLines({ signals, values, lines, links, reworded, proseAdded, textAdded }: Facts): ReadLine[] {
  const isNew = new Set(lines.added);
  const addedTargets = new Set(links.added.map(({ target }) => target));
  const added = [
    ...signals.filter(isMajor).map(({ line }) => line),
    ...values.map(({ line }) => line),
    ...signals.filter(({ isMention }) => !isMention).map(({ line }) => line),
    ...lines.added.filter((line) => line.links.some(({ target }) => addedTargets.has(target))),
    ...proseAdded,
    ...reworded,
    ...textAdded,
  ].filter((line) => isNew.has(line) && !isHeading(line));
  return added.length > 0 || links.relinked.length > 0 ? added : lines.removed.filter((line) => !isHeading(line));
}

/** Returns the most relevant lines verbatim. */
function chooseQuotes(facts: Facts): string[] {
  if (facts.isSameContent) return [];
  const quotes = new Set<string>();
  for (const line of new Set(rankedLines(facts))) {
    const quote = quoteOfLine(line);
    if (quote.length >= minQuoteLength && isShowable(quote)) quotes.add(quote);
    if (quotes.size === maxQuoteCount) break;
  }
  return [...quotes];
}

/** Most sections in each list of a report. */
const maxSectionCount = 50;

/** Returns the first `maxSectionCount` distinct paths that are not empty. */
function limitPaths(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => path !== "").slice(0, maxSectionCount);
}

type SectionLists = Pick<Analysis, "sectionsAdded" | "sectionsRemoved" | "sectionsModified">;

/** Returns the added, removed and modified sections. A renamed or moved section is modified, under its new path. */
function listSections({ sections, lines, outline }: Facts): SectionLists {
  const sectionsAdded = limitPaths(sections.added.map(({ path }) => path));
  const sectionsRemoved = limitPaths(sections.removed.map(({ path }) => path));
  const newPaths = new Map([...sections.renamed, ...sections.moved].map(({ from, to }) => [from, to]));
  const changed = [
    ...[...sections.renamed, ...sections.moved].map(({ to }) => to),
    ...lines.added.map(({ path }) => path || outline.title),
    ...lines.removed.map(({ path }) => newPaths.get(path) ?? (path || outline.title)),
  ];
  const addedOrRemoved = new Set([...sections.added, ...sections.removed].map(({ path }) => path));
  return {
    sectionsAdded,
    sectionsRemoved,
    sectionsModified: limitPaths(changed.filter((path) => !addedOrRemoved.has(path))),
  };
}

/** Length of the beginning in which the introduction is searched, in UTF-16 code units. */
const maxIntroductionLength = 20_000;

/** Returns the quoted line below the title with which an `llms.txt` introduces itself, if there is one. */
function findIntroduction(text: string): string[] {
  const line = /^> ?\S.*$/m.exec(text.slice(0, maxIntroductionLength))?.[0];
  return line ? [quoteOf(line)] : [];
}

/** Returns the analysis of a first version. Nothing has changed, so its significance is 1. */
function describeFirstVersion(text: string, vendorName: string): Analysis {
  const { sections } = outlineOf(text);
  const paths = limitPaths(sections.map(({ path }) => path));
  const tops = paths.filter((path) => !path.includes(" > "));
  const linkCount = countLinks(text);
  const sectionText = tops.length > 0 ? `${counted(tops.length, "section")} (${listNames(tops, 5)})` : "no sections";
  const quotes = findIntroduction(text).filter(isShowable);
  return {
    summary: joinSentences([
      `First version of ${vendorName}'s file: ${sectionText} and ${counted(linkCount, "link")}.`,
    ]),
    significance: 1,
    categories: ["content-expansion"],
    sectionsAdded: paths,
    sectionsRemoved: [],
    sectionsModified: [],
    keyQuotes: quotes,
    byteSizeChangePct: 0,
  };
}

/** Version of the rules. To be changed when they judge a change differently. */
export const rulesVersion = "rules-6";

/** Returns the growth in percent of an older size in bytes, with two decimals; 100 if that is 0. */
export function growthPct(before: number, after: number): number {
  if (before === 0) return after === 0 ? 0 : 100;
  return Math.round(((after - before) / before) * 10_000) / 100;
}

const byteSizeChangePct = (before: string, after: string) =>
  growthPct(Buffer.byteLength(before), Buffer.byteLength(after));

/** Returns the analysis of a change from or to a text that may attack its readers, without any of its own words. */
function describeAttack({ before, after, securityScore, previousSecurityScore }: Change): Analysis {
  const isAttack = securityScore >= blockedScore;
  const summary = isAttack
    ? `The text has a security score of ${securityScore} out of 5: it may try to instruct models that read it. Its content is not repeated here.`
    : `The previous text had a security score of ${previousSecurityScore} out of 5, because it may have tried to instruct models that read it. The new text has ${securityScore}. What was removed is not repeated here.`;
  return {
    summary,
    significance: isAttack ? 5 : 4,
    categories: ["security-advisory"],
    sectionsAdded: [],
    sectionsRemoved: [],
    sectionsModified: [],
    keyQuotes: [],
    byteSizeChangePct: before === null ? 0 : byteSizeChangePct(before, after),
  };
}

/**
 * Analyses a change by rules only: the same change always gives the same analysis. Runs in linear time, and does not throw
 * for any content.
 */
export function analyseByRules(change: Change): Analysis {
  const { before, after, comparison, name } = change;
  if (isBlockedChange(change)) return describeAttack(change);
  if (before === null || comparison === null) return describeFirstVersion(after, name);
  const facts = readFacts(before, { ...change, comparison });
  return {
    summary: writeSummary(facts),
    significance: judgeSignificance(facts),
    categories: chooseCategories(facts),
    ...listSections(facts),
    keyQuotes: chooseQuotes(facts),
    byteSizeChangePct: byteSizeChangePct(before, after),
    ...(facts.values.length > 0 && { facts: listFacts(facts.values) }),
  };
}
