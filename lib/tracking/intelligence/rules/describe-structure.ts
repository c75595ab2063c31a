import { minIndexLinkCount } from "./facts/compare-links";
import type { Facts } from "./facts/read-facts";
import { counted, listNames, shownOf, type TitledLink } from "./text/plain-text";
import { quoteFrom } from "./text/quote";
import type { ReadLine } from "./text/read-lines";
import { lastNameOf } from "./text/subject";

/** Returns the sections that are not below another section of the list. */
function topsOf<T extends { path: string }>(sections: readonly T[]): T[] {
  const paths = new Set(sections.map(({ path }) => path));
  return sections.filter(({ path }) => {
    const names = path.split(" > ");
    return !names.some((_, index) => index > 0 && paths.has(names.slice(0, index).join(" > ")));
  });
}

/** Titles that do not say what a link leads to. */
const genericTitle =
  /^(?:click )?(?:here|this|links?|(?:this )?(?:page|article|guide|section)|(?:see |read |learn )?more|details|docs|view)$/i;

/** Returns the titles of links that have one. */
const titlesOf = (links: readonly { title: string }[]) =>
  links.map(({ title }) => title).filter((title) => title !== "" && !genericTitle.test(title));

const distinct = (names: readonly string[]) => [...new Set(names)];

/** Returns `the section A with 4 links` or `2 sections: A and B`. */
function sectionsText(sections: readonly { path: string; linkCount: number }[]): string {
  const tops = topsOf(sections);
  const [first] = tops;
  if (tops.length > 1) return `${counted(tops.length, "section")}: ${listNames(tops.map(({ path }) => path))}`;
  const links = first!.linkCount > 0 ? ` with ${counted(first!.linkCount, "link")}` : "";
  return `the section ${first!.path}${links}`;
}

/** Returns `: A, B and 2 more`, counting links without a title as more; empty if none has a title. */
function titlesText(links: readonly { title: string }[]): string {
  const titles = titlesOf(links);
  const unnamed = links.length - titles.length;
  if (titles.length === 0) return "";
  return `: ${unnamed === 0 ? listNames(distinct(titles)) : `${titles.slice(0, 3).join(", ")} and ${links.length - Math.min(3, titles.length)} more`}`;
}

/** Returns the links that are entries of a list or table, or cards; none on a page if no title says what they lead to. */
function listedOf(all: readonly TitledLink[], { links: { inSentences }, isIndex }: Facts): TitledLink[] {
  const listed = all.filter(({ target }) => !inSentences.has(target));
  return isIndex || titlesOf(listed).length > 0 ? listed : [];
}

const realOf = <T extends { isReal: boolean }>(sections: readonly T[]) => sections.filter(({ isReal }) => isReal);
const countLinks = (sections: readonly { path: string; linkCount: number }[]) =>
  topsOf(sections).reduce((sum, { linkCount }) => sum + linkCount, 0);

/** Returns a sentence about removed sections. */
export function describeLostSections({ sections }: Facts): string[] {
  const removed = realOf(sections.removed);
  return removed.length > 0 ? [`Removes ${sectionsText(removed)}.`] : [];
}

/** Returns a sentence about removed links that are listed, if there are more than in the removed sections. */
export function describeLostLinks(facts: Facts): string[] {
  const removed = realOf(facts.sections.removed);
  const { totalBefore } = facts.links;
  const lost = listedOf(facts.links.lost, facts);
  if (lost.length <= countLinks(removed)) return [];
  const verb = removed.length > 0 ? "In total, removes" : "Removes";
  const isFew = totalBefore < minIndexLinkCount;
  const count = isFew ? counted(lost.length, "link") : `${lost.length} of ${counted(totalBefore, "link")}`;
  return [`${verb} ${count}${titlesText(lost)}.`];
}

/** Whether more was removed than added. */
export const hasHeavyLoss = ({ sections, links }: Facts) =>
  sections.removed.some(({ isReal }) => isReal) || links.lost.length >= links.added.length;

/** Returns a sentence about new examples: `Adds examples in Go and PHP to Usage.` */
export function describeExamples({ examples }: Facts): string[] {
  if (examples.length === 0) return [];
  const languages = distinct(examples.map(({ language }) => language));
  const names = distinct(examples.map(({ path }) => lastNameOf(path))).filter(Boolean);
  const where = names.length > 0 ? ` to ${listNames(names, 2)}` : "";
  return [`Adds ${examples.length === 1 ? "an example" : "examples"} in ${listNames(languages)}${where}.`];
}

/** Returns the first sentence of a new section: `: “Queues hold messages”`; empty if it has none of several words. */
function beginningOf(path: string, { lines }: Facts): string {
  const isBeginning = (line: ReadLine) =>
    line.path === path &&
    !line.isCode &&
    /^\s*(?:> )?[\p{L}\x60*_]/u.test(line.text) &&
    shownOf(line.text).split(" ").length > 3;
  const index = lines.added.findIndex(isBeginning);
  const sentence = index < 0 ? "" : quoteFrom(lines.added, index).sentence;
  return sentence === "" ? "" : `: “${sentence}”`;
}

/** Returns the first sentence of a section, as `beginningOf` does, if the section is new. */
export const beginningOfNew = (path: string, facts: Facts) =>
  realOf(facts.sections.added).some((section) => section.path === path) ? beginningOf(path, facts) : "";

/** Returns a sentence about added sections. */
export function describeNewSections(facts: Facts): string[] {
  const added = realOf(facts.sections.added);
  if (added.length === 0) return [];
  const [only, ...others] = topsOf(added);
  return [`Adds ${sectionsText(added)}${others.length === 0 ? beginningOf(only!.path, facts) : ""}.`];
}

/** Returns a sentence about added links that are listed, if there are more than in the added sections and others than those named. */
export function describeNewLinks(facts: Facts, isNamed: ReadonlySet<string>): string[] {
  const inSections = countLinks(realOf(facts.sections.added));
  const listed = listedOf(facts.links.added, facts);
  if (listed.length <= inSections || listed.every(({ title }) => isNamed.has(title))) return [];
  return [
    inSections > 0
      ? `In total, adds ${counted(listed.length, "link")}.`
      : `Adds ${counted(listed.length, "link")}${titlesText(listed)}.`,
  ];
}

/** Returns sentences about all links, for changes of nothing else. */
export function describeLinks({ links: { added, lost } }: Facts): string[] {
  return [
    ...(added.length > 0 ? [`Adds ${counted(added.length, "link")}${titlesText(added)}.`] : []),
    ...(lost.length > 0 ? [`Removes ${counted(lost.length, "link")}${titlesText(lost)}.`] : []),
  ];
}

/** Returns sentences about content that was moved or renamed. */
export function describeRestructure({ sections, links, lines, isSameContent }: Facts): string[] {
  const sentences: string[] = [];
  const { relinked, retitled } = links;
  if (relinked.length > 0) {
    const subject = relinked.length === 1 ? "One page has a new URL" : `${relinked.length} pages have new URLs`;
    const names = relinked.length <= 3 ? titlesOf(relinked) : [];
    sentences.push(`${subject}${names.length > 0 ? `: ${listNames(names)}` : ""}.`);
  }
  if (links.anchored.length > 0)
    sentences.push(`Changes where links lead in ${counted(links.anchored.length, "line")}.`);
  const corrected = sections.renamed.filter(({ isCorrection }) => isCorrection);
  if (corrected.length > 0)
    sentences.push(`Corrects the spelling of ${listNames(corrected.map(({ to }) => lastNameOf(to)))}.`);
  const renamed = sections.renamed
    .filter(({ isCorrection }) => !isCorrection)
    .map(({ from, to }) => `${from} to ${to.split(" > ").at(-1)}`);
  if (renamed.length > 0) sentences.push(`Renames the section ${listNames(renamed)}.`);
  const moved = sections.moved.map(({ from, to }) => `${from} to ${to}`);
  if (moved.length > 0) sentences.push(`Moves the section ${listNames(moved)}.`);
  const split = sections.added.filter(({ isReal, isEmpty }) => !isReal && !isEmpty);
  if (split.length > 0) sentences.push(`Moves existing content into ${sectionsText(split)}.`);
  const merged = sections.removed.filter(({ isReal, isEmpty }) => !isReal && !isEmpty);
  if (merged.length > 0) sentences.push(`Removes ${sectionsText(merged)}, but keeps the content elsewhere.`);
  if (sections.isReordered) sentences.push("Reorders sections.");
  if (retitled.length > 0) {
    const names = retitled.length <= 3 ? retitled.flatMap((line) => titlesOf(line.links.slice(0, 1))) : [];
    sentences.push(
      `Retitles ${counted(retitled.length, "link")}${names.length > 0 ? `, now ${listNames(names)}` : ""}.`,
    );
  }
  if (!isSameContent && lines.hasMoved && sentences.length === 0) sentences.push("Moves lines between sections.");
  return sentences;
}
