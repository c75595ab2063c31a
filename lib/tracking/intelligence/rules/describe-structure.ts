import { counted, listNames } from "./plain-text";
import type { Facts } from "./read-facts";

/** Sections without those below another one of the list. */
function topsOf<T extends { path: string }>(sections: readonly T[]): T[] {
  const paths = new Set(sections.map(({ path }) => path));
  return sections.filter(({ path }) => {
    const names = path.split(" > ");
    return !names.some((_, index) => index > 0 && paths.has(names.slice(0, index).join(" > ")));
  });
}

/** Titles of the links that have one. */
const titlesOf = (links: readonly { title: string }[]) => links.map(({ title }) => title).filter(Boolean);

/** `the section A with 4 links`, `2 sections: A and B`. */
function sectionsText(sections: readonly { path: string; linkCount: number }[]): string {
  const tops = topsOf(sections);
  const [first] = tops;
  if (tops.length > 1) return `${counted(tops.length, "section")}: ${listNames(tops.map(({ path }) => path))}`;
  const links = first!.linkCount > 0 ? ` with ${counted(first!.linkCount, "link")}` : "";
  return `the section ${first!.path}${links}`;
}

/** `: A, B and 2 more`, those without a title among the rest; nothing where none has one. */
function titlesText(links: readonly { title: string }[]): string {
  const titles = titlesOf(links);
  const unnamed = links.length - titles.length;
  if (titles.length === 0) return "";
  return `: ${unnamed === 0 ? listNames(titles) : `${titles.slice(0, 3).join(", ")} and ${links.length - Math.min(3, titles.length)} more`}`;
}

/** What went. */
export function describeLosses({ sections, links }: Facts): string[] {
  const gone = sections.removed.filter(({ isReal }) => isReal);
  const sentences = gone.length > 0 ? [`Removes ${sectionsText(gone)}.`] : [];
  const inSections = topsOf(gone).reduce((sum, { linkCount }) => sum + linkCount, 0);
  const { lost, totalBefore } = links;
  if (lost.length > inSections) {
    sentences.push(
      `${gone.length > 0 ? "In all, removes" : "Removes"} ${lost.length} of ${counted(totalBefore, "link")}${titlesText(lost)}.`,
    );
  }
  return sentences;
}

/** Whether what went is more than what came. */
export const hasHeavyLoss = ({ sections, links }: Facts) =>
  sections.removed.some(({ isReal }) => isReal) || links.lost.length >= links.added.length;

/** What came. */
export function describeGains({ sections, links }: Facts): string[] {
  const fresh = sections.added.filter(({ isReal }) => isReal);
  const sentences = fresh.length > 0 ? [`Adds ${sectionsText(fresh)}.`] : [];
  const inSections = topsOf(fresh).reduce((sum, { linkCount }) => sum + linkCount, 0);
  if (links.added.length > inSections) {
    sentences.push(
      inSections > 0
        ? `In all, adds ${counted(links.added.length, "link")}.`
        : `Adds ${counted(links.added.length, "link")}${titlesText(links.added)}.`,
    );
  }
  return sentences;
}

/** What is elsewhere or has another name now. */
export function describeRestructure({ sections, links, lines, isSameContent }: Facts): string[] {
  const sentences: string[] = [];
  const { relinked, retitled } = links;
  if (relinked.length > 0) {
    const subject = relinked.length === 1 ? "One page has" : `${relinked.length} pages have`;
    const names = relinked.length <= 3 ? titlesOf(relinked) : [];
    sentences.push(`${subject} another address${names.length > 0 ? `: ${listNames(names)}` : ""}.`);
  }
  const renamed = sections.renamed.map(({ from, to }) => `${from} to ${to.split(" > ").at(-1)}`);
  if (renamed.length > 0) sentences.push(`Renames the section ${listNames(renamed)}.`);
  const moved = sections.moved.map(({ from, to }) => `${from} to ${to}`);
  if (moved.length > 0) sentences.push(`Moves the section ${listNames(moved)}.`);
  const split = sections.added.filter(({ isReal, isEmpty }) => !isReal && !isEmpty);
  if (split.length > 0) sentences.push(`Moves what was elsewhere into ${sectionsText(split)}.`);
  const merged = sections.removed.filter(({ isReal, isEmpty }) => !isReal && !isEmpty);
  if (merged.length > 0) sentences.push(`Dissolves ${sectionsText(merged)}; the content is still there.`);
  if (sections.isReordered) sentences.push("Puts sections into another order.");
  if (retitled.length > 0) {
    const names = retitled.length <= 3 ? retitled.flatMap((line) => titlesOf(line.links.slice(0, 1))) : [];
    sentences.push(
      `Retitles ${counted(retitled.length, "link")}${names.length > 0 ? `, now ${listNames(names)}` : ""}.`,
    );
  }
  if (!isSameContent && lines.hasMoved && sentences.length === 0) sentences.push("Moves lines between sections.");
  return sentences;
}
