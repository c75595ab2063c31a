import { blockedScore } from "#lib/tracking/snapshots/index";
import type { Analysis, Change } from "../analysis";
import { chooseCategories } from "./choose-categories";
import { chooseQuotes, isShowable, quoteOf } from "./choose-quotes";
import { judgeSignificance } from "./judge-significance";
import { outlineOf } from "./outline";
import { counted, countLinks, listNames } from "./plain-text";
import { type Facts, readFacts } from "./read-facts";
import { joinSentences, writeSummary } from "./write-summary";

/** Sections that each of a report's lists names at most. */
const maxSectionCount = 50;

/** Paths, each once; neither empty nor too many. */
function boundedPaths(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => path !== "").slice(0, maxSectionCount);
}

type SectionLists = Pick<Analysis, "sectionsAdded" | "sectionsRemoved" | "sectionsModified">;

/** The sections that came, went and changed within; a renamed or moved one is modified, under its new path. */
function listSections({ sections, lines, outline }: Facts): SectionLists {
  const sectionsAdded = boundedPaths(sections.added.map(({ path }) => path));
  const sectionsRemoved = boundedPaths(sections.removed.map(({ path }) => path));
  const newPaths = new Map([...sections.renamed, ...sections.moved].map(({ from, to }) => [from, to]));
  const changed = [
    ...[...sections.renamed, ...sections.moved].map(({ to }) => to),
    ...lines.added.map(({ path }) => path || outline.title),
    ...lines.removed.map(({ path }) => newPaths.get(path) ?? (path || outline.title)),
  ];
  const apart = new Set([...sections.added, ...sections.removed].map(({ path }) => path));
  return { sectionsAdded, sectionsRemoved, sectionsModified: boundedPaths(changed.filter((path) => !apart.has(path))) };
}

/** How far the line is looked for with which a file introduces itself, in UTF-16 code units. */
const maxIntroductionLength = 20_000;

/** The quoted line below the title, by which an `llms.txt` says what it is about. */
function introductionOf(text: string): string[] {
  const line = /^> ?\S.*$/m.exec(text.slice(0, maxIntroductionLength))?.[0];
  return line ? [quoteOf(line)] : [];
}

/** What a file offers that was not known before: nothing changed, so its significance is 1. */
function describeFirstVersion(text: string, vendorName: string): Analysis {
  const { sections } = outlineOf(text);
  const paths = boundedPaths(sections.map(({ path }) => path));
  const tops = paths.filter((path) => !path.includes(" > "));
  const linkCount = countLinks(text);
  const named = tops.length > 0 ? `${counted(tops.length, "section")} (${listNames(tops, 5)})` : "no sections";
  const quotes = introductionOf(text).filter(isShowable);
  return {
    summary: joinSentences([`First version of ${vendorName}'s file: ${named} and ${counted(linkCount, "link")}.`]),
    significance: 1,
    categories: ["content-expansion"],
    ...{ sectionsAdded: paths, sectionsRemoved: [], sectionsModified: [], keyQuotes: quotes },
    byteSizeChangePct: 0,
  };
}

/** Of the rules; another one where they would judge the same change otherwise. */
export const rulesVersion = "rules-1";

/** How much larger the newer text is, in per cent of the older one's bytes, with two decimals; 100 if that was empty. */
function byteSizeChangePct(before: string, after: string): number {
  const [old, now] = [Buffer.byteLength(before), Buffer.byteLength(after)];
  if (old === 0) return now === 0 ? 0 : 100;
  return Math.round(((now - old) / old) * 10_000) / 100;
}

/** What is told of a text that attacks its readers: nothing of its own words. */
function describeAttack({ before, after, securityScore }: Change): Analysis {
  return {
    summary: `The text tripped the security score (${securityScore} of 5): it may try to instruct the models that read it. Nothing of it is repeated here.`,
    significance: 5,
    categories: ["security-advisory"],
    ...{ sectionsAdded: [], sectionsRemoved: [], sectionsModified: [], keyQuotes: [] },
    byteSizeChangePct: before === null ? 0 : byteSizeChangePct(before, after),
  };
}

/**
 * Says what a change means by rules alone: the same change always gives the same analysis, in time in proportion to the
 * two texts. Never throws for what they hold.
 */
export function analyseByRules(change: Change): Analysis {
  const { before, after, comparison, securityScore, name } = change;
  if (securityScore >= blockedScore) return describeAttack(change);
  if (before === null || comparison === null) return describeFirstVersion(after, name);
  const facts = readFacts(before, { ...change, comparison });
  return {
    summary: writeSummary(facts),
    significance: judgeSignificance(facts),
    categories: chooseCategories(facts),
    ...listSections(facts),
    keyQuotes: chooseQuotes(facts),
    byteSizeChangePct: byteSizeChangePct(before, after),
  };
}
