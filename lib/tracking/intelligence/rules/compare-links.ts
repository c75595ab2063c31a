import type { Change } from "../analysis";
import { addressKey, countLinks, isRelative, type TitledLink, titleKey } from "./plain-text";
import type { ReadLine, ReadLines } from "./read-lines";

export type LinkChanges = {
  /** Links to pages that the other version does not link to. */
  added: TitledLink[];
  lost: TitledLink[];
  /** Links that came back under the same title, or whose address is only written otherwise. */
  relinked: TitledLink[];
  /** Lines whose link has the same address with another title. */
  retitled: ReadLine[];
  /** Links of the older version, each address once; 0 where none was lost, for then it is of no use. */
  totalBefore: number;
};

/** Share of removed links that must come back for the change to be a restructure. */
const restructuredShare = 0.8;

/** Relative addresses are not in the comparison: those of the lines that one version lacks. */
function relativeTargets(lines: ReadLines["added"], others: ReadLines["added"]): string[] {
  const theirs = new Set(others.flatMap(({ links }) => links.map(({ target }) => target)));
  const ours = lines.flatMap(({ links }) => links.map(({ target }) => target));
  return [...new Set(ours)].filter((target) => isRelative(target) && !theirs.has(target));
}

/** What a link may be found again by. */
function marksOf({ title, target }: TitledLink): string[] {
  return [...(title ? [`t ${titleKey(title)}`] : []), `a ${addressKey(target)}`];
}

/** Links of each side that are looked for on the other; the others count as lost and added. */
const maxPairedLinkCount = 20_000;

/** Pairs lost links with added ones; each of them once. */
function pairLinks(removed: readonly TitledLink[], added: readonly TitledLink[]) {
  const known = new Map<string, TitledLink[]>();
  for (const link of added.slice(0, maxPairedLinkCount).reverse()) {
    for (const mark of marksOf(link)) {
      const same = known.get(mark);
      if (same) same.push(link);
      else known.set(mark, [link]);
    }
  }
  const back = new Set<TitledLink>();
  const lost: TitledLink[] = [];
  const find = (mark: string): TitledLink | undefined => {
    const links = known.get(mark) ?? [];
    while (links.length > 0 && back.has(links.at(-1)!)) links.pop();
    return links.pop();
  };
  for (const link of removed.slice(0, maxPairedLinkCount)) {
    const match = marksOf(link)
      .map(find)
      .find((found) => found);
    if (match) back.add(match);
    else lost.push(link);
  }
  for (const link of removed.slice(maxPairedLinkCount)) lost.push(link);
  return { lost, relinked: [...back], added: added.filter((link) => !back.has(link)) };
}

/** What became of the links from one version to the next. */
export function compareLinks(
  before: string,
  comparison: NonNullable<Change["comparison"]>,
  lines: ReadLines,
): LinkChanges {
  const titled = (targets: readonly string[], titles: ReadonlyMap<string, string>) =>
    targets
      .filter((target) => !lines.codeTargets.has(target))
      .map((target) => ({ target, title: titles.get(target) ?? "" }));
  const removed = [...comparison.linksRemoved, ...relativeTargets(lines.removed, lines.added)];
  const added = [...comparison.linksAdded, ...relativeTargets(lines.added, lines.removed)];
  const pairs = pairLinks(titled(removed, lines.titles.removed), titled(added, lines.titles.added));
  const retitled = lines.added.filter(({ links, partner }) => {
    const [link] = links;
    const [old] = partner?.links ?? [];
    return link && old && link.target === old.target && titleKey(link.title) !== titleKey(old.title);
  });
  return { ...pairs, retitled, totalBefore: pairs.lost.length > 0 ? countLinks(before) : 0 };
}

/** Whether nearly all removed links came back. */
export function isRestructure({ lost, relinked }: LinkChanges): boolean {
  return relinked.length > 0 && relinked.length >= restructuredShare * (lost.length + relinked.length);
}
