import { plainOf, titleKey } from "#lib/tracking/wording/index";
import type { Change } from "../../analysis";
import { addressKey, countLinks, isRelative, type TitledLink, tailKey } from "../text/links";
import type { ReadLine, ReadLines } from "../text/read-lines";

export type LinkChanges = {
  added: TitledLink[];
  lost: TitledLink[];
  /** Links with a new URL under the same title, or with an equivalent spelling of the URL. */
  relinked: TitledLink[];
  /** URLs of links that are entries of lists, tables or cards, and not in sentences. */
  listed: ReadonlySet<string>;
  /** Entries whose link has the same URL with another title, other than its corrected spelling. */
  retitled: ReadLine[];
  /** Distinct links of the older version; 0 if none was lost, because it is not needed then. */
  totalBefore: number;
  isRestructure: boolean;
};

const image = /\.(?:png|jpe?g|gif|svg|webp|avif|ico)(?:[?#].*)?$/i;
const maxPairedLinkCount = 20_000;
const restructuredShare = 0.8;

function keysOf({ title, target }: TitledLink): string[] {
  const tail = tailKey(target);
  return [...(title ? [`t ${titleKey(title)}`] : []), `a ${addressKey(target)}`, ...(tail ? [`e ${tail}`] : [])];
}

function pairLinks(removed: readonly TitledLink[], added: readonly TitledLink[]) {
  const known = new Map<string, TitledLink[]>();
  for (const link of added.slice(0, maxPairedLinkCount).reverse()) {
    for (const key of keysOf(link)) known.set(key, [...(known.get(key) ?? []).slice(-5), link]);
  }
  const relinked = new Set<TitledLink>();
  const lost = removed.filter((link, index) => {
    if (index >= maxPairedLinkCount) return true;
    const free = keysOf(link).flatMap((key) => (known.get(key) ?? []).filter((each) => !relinked.has(each)).slice(-1));
    if (free.length > 0) relinked.add(free[0]!);
    return free.length === 0;
  });
  return { lost, relinked: [...relinked], added: added.filter((link) => !relinked.has(link)) };
}

const isEntry = ({ text, isMeta }: ReadLine) =>
  !isMeta && /^\s*(?:(?:[-*+]|\d{1,3}[.)])\s+|\|\s*)?(?:\*\*|__)?(?:\[|<(?!a\b))/.test(text);

export function compareLinks(
  before: string,
  comparison: NonNullable<Change["comparison"]>,
  lines: ReadLines,
): LinkChanges {
  const targetsOf = (some: readonly ReadLine[]) => some.flatMap(({ links }) => links.map(({ target }) => target));
  // The comparison does not include relative URLs.
  const relative = (some: readonly ReadLine[], others: readonly ReadLine[]) => {
    const theirs = new Set(targetsOf(others));
    return [...new Set(targetsOf(some))].filter((target) => isRelative(target) && !theirs.has(target));
  };
  const titled = (targets: readonly string[], titles: ReadonlyMap<string, string>) => {
    const links = targets.filter((target) => !lines.codeTargets.has(target) && !image.test(target));
    return links.map((target) => ({ target, title: titles.get(target) ?? "" }));
  };
  const removed = [...comparison.linksRemoved, ...relative(lines.removed, lines.added)];
  const added = [...comparison.linksAdded, ...relative(lines.added, lines.removed)];
  const pairs = pairLinks(titled(removed, lines.titles.removed), titled(added, lines.titles.added));
  // A title that still has a link is not lost, also if two links now lead to one page.
  const titles = new Set(lines.added.flatMap(({ links }) => links.map(({ title }) => titleKey(title))));
  const lost = pairs.lost.filter(({ title }) => title === "" || !titles.has(titleKey(title)));
  const retitled = lines.added.filter((line) => {
    const [[link], [old]] = [line.links, line.partner?.links ?? []];
    if (!link || !old || link.target !== old.target || titleKey(link.title) === titleKey(old.title)) return false;
    return isEntry(line);
  });
  const isListed = (line: ReadLine) => isEntry(line) || plainOf(line.text) === line.links[0]?.title;
  const listed = new Set(targetsOf([...lines.added, ...lines.removed].filter(isListed)));
  const { length } = pairs.relinked;
  const isRestructure = length > 0 && length >= restructuredShare * (lost.length + length);
  return { ...pairs, lost, listed, retitled, isRestructure, totalBefore: lost.length > 0 ? countLinks(before) : 0 };
}

export const minIndexLinkCount = 5;
const minEntryShare = 0.4;

export function isIndex(text: string): boolean {
  const entries = text.match(/^[ \t]{0,8}(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:\*\*)?\[(?![^\]\n]*\]:)/gm)?.length ?? 0;
  return entries >= minIndexLinkCount && entries >= minEntryShare * (text.match(/^.*\S/gm)?.length ?? 0);
}
