import { formatCount } from "#lib/platform/format-count";
import { listNames } from "#lib/tracking/wording/index";
import { minIndexLinkCount } from "./facts/compare-links";
import type { Facts } from "./facts/read-facts";
import type { TitledLink } from "./text/links";
import { lastNameOf } from "./text/subject";
import { quoteFrom } from "./text/words";

type NamedSection = { path: string; linkCount: number };

function topsOf<T extends { path: string }>(sections: readonly T[]): T[] {
  const paths = new Set(sections.map(({ path }) => path));
  const isAbove = (path: string) => [...path.matchAll(/ > /g)].some(({ index }) => paths.has(path.slice(0, index)));
  return sections.filter(({ path }) => !isAbove(path));
}

const genericTitle =
  /^(?:click )?(?:here|this|links?|(?:this )?(?:page|article|guide|section)|(?:see |read |learn )?more|details|docs|view)$/i;
const titlesOf = (links: readonly { title: string }[]) => [
  ...new Set(links.map(({ title }) => title).filter((title) => title !== "" && !genericTitle.test(title))),
];

function sectionsText(sections: readonly NamedSection[]): string {
  const tops = topsOf(sections);
  if (tops.length > 1) return `${tops.length} sections: ${listNames(tops.map(({ path }) => path))}`;
  const [{ path, linkCount }] = tops as [NamedSection];
  return `the section ${path}${linkCount > 0 ? ` with ${formatCount(linkCount, "link")}` : ""}`;
}

function titlesText(links: readonly { title: string }[]): string {
  const titles = titlesOf(links);
  if (titles.length === 0) return "";
  const names = titles.slice(0, 3);
  return `: ${titles.length < links.length ? `${names.join(", ")} and ${links.length - names.length} more` : listNames(titles)}`;
}

const realOf = <T extends { isReal: boolean }>(sections: readonly T[]) => sections.filter(({ isReal }) => isReal);
const countLinks = (sections: readonly NamedSection[]) =>
  topsOf(sections).reduce((sum, { linkCount }) => sum + linkCount, 0);

/** Returns the first sentence of a new section: `: “Queues hold messages”`; empty if it has none of several words. */
function beginningOf(path: string, { lines }: Facts): string {
  const isProse = (text: string) => /^\s*(?:> )?[\p{L}\x60*_]/u.test(text) && text.trim().split(" ").length > 3;
  const index = lines.added.findIndex((line) => line.path === path && !line.isCode && isProse(line.text));
  const sentence = index < 0 ? "" : quoteFrom(lines.added, index).sentence;
  return sentence === "" ? "" : `: “${sentence}”`;
}

/** Returns sentences about added and removed sections and links; without `isAll` not about links in sentences of a page. */
export function describeContent(facts: Facts, isAll = false): string[] {
  const { sections, links, isIndex } = facts;
  const listedOf = (all: readonly TitledLink[]) => {
    const listed = isIndex || isAll ? [...all] : all.filter(({ target }) => links.listed.has(target));
    return isIndex || isAll || titlesOf(listed).length > 0 ? listed : [];
  };
  const [added, removed] = [realOf(sections.added), realOf(sections.removed)];
  const [newLinks, lostLinks] = [listedOf(links.added), listedOf(links.lost)];
  const sidesOf = (verb: string, changed: typeof added, all: readonly TitledLink[], total = 0) => {
    const [only, ...others] = topsOf(changed);
    const beginning = verb === "Adds" && only && others.length === 0 ? beginningOf(only.path, facts) : "";
    const named = only ? [`${verb} ${sectionsText(changed)}${beginning}.`] : [];
    if (all.length <= countLinks(changed)) return named;
    const count = total < minIndexLinkCount ? formatCount(all.length, "link") : `${all.length} of ${total} links`;
    if (verb === "Adds" && countLinks(changed) > 0) return [...named, `In total, adds ${count}.`];
    return [...named, `${only && verb !== "Adds" ? "In total, removes" : verb} ${count}${titlesText(all)}.`];
  };
  const gains = sidesOf("Adds", added, newLinks);
  const losses = sidesOf("Removes", removed, lostLinks, links.totalBefore);
  const isLoss = removed.length > added.length || lostLinks.length >= Math.max(newLinks.length, 2);
  return isLoss ? [...losses, ...gains] : [...gains, ...losses];
}

export function describeRestructure({ sections, links, lines, values, isSameContent }: Facts): string[] {
  const { retitled } = links;
  // The URL of an endpoint is no page.
  const relinked = links.relinked.filter(
    ({ target }) =>
      !values.some(
        ({ kind, now }) => now.includes(target) || (kind === "endpoint" && now !== "" && target.startsWith(now)),
      ),
  );
  const isKept = ({ isReal, isEmpty }: { isReal: boolean; isEmpty: boolean }) => !isReal && !isEmpty;
  const [split, merged] = [sections.added.filter(isKept), sections.removed.filter(isKept)];
  const renamed = sections.renamed.map(({ from, to }) => `${lastNameOf(from)} to ${lastNameOf(to)}`);
  const moved = sections.moved.map(({ from, to }) => `${from} to ${to}`);
  const pages = relinked.length === 1 ? "One page has a new URL" : `${relinked.length} pages have new URLs`;
  const names = retitled.length <= 3 ? titlesOf(retitled.flatMap((line) => line.links.slice(0, 1))) : [];
  const sentences = [
    relinked.length > 0 && `${pages}${relinked.length <= 3 ? titlesText(relinked) : ""}.`,
    renamed.length > 0 && `Renames the section ${listNames(renamed, 2)}.`,
    moved.length > 0 && `Moves the section ${listNames(moved, 2)}.`,
    split.length > 0 && `Moves existing content into ${sectionsText(split)}.`,
    merged.length > 0 && `Removes ${sectionsText(merged)}, but keeps the content elsewhere.`,
    sections.isReordered && "Reorders sections.",
    retitled.length > 0 &&
      `Retitles ${formatCount(retitled.length, "link")}${names.length > 0 ? `, now ${listNames(names)}` : ""}.`,
  ].filter((sentence) => sentence !== false);
  return !isSameContent && lines.hasMoved && sentences.length === 0 ? ["Moves lines between sections."] : sentences;
}
