import type { Change } from "../../analysis";
import { addressKey, countLinks, isRelative, plainOf, type TitledLink, tailKey, titleKey } from "../text/plain-text";
import type { ReadLine, ReadLines } from "../text/read-lines";
import { isSpelling } from "../text/word-changes";

export type LinkChanges = {
  /** Links to pages that the other version does not link to. */
  added: TitledLink[];
  lost: TitledLink[];
  /** Links with a new URL under the same title, or with an equivalent spelling of the URL. */
  relinked: TitledLink[];
  /** URLs of the changed links that are in sentences of a page, and not in lists or tables of links. */
  inSentences: ReadonlySet<string>;
  /** Entries whose link has the same URL with another title, other than its corrected spelling. */
  retitled: ReadLine[];
  /** Lines with the same words whose links lead to other places of the same page or site, written as `#place`. */
  anchored: ReadLine[];
  /** Distinct links of the older version; 0 if none was lost, because it is not needed then. */
  totalBefore: number;
};

/** Share of removed links that must be relinked for the change to be a restructuring. */
const restructuredShare = 0.8;

/** Addresses of images, which are no links even if a tag shows them. */
const image = /\.(?:png|jpe?g|gif|svg|webp|avif|ico)(?:[?#].*)?$/i;

/** Returns the relative URLs that only one version has; the comparison does not include them. */
function relativeTargets(lines: ReadLines["added"], others: ReadLines["added"]): string[] {
  const theirs = new Set(others.flatMap(({ links }) => links.map(({ target }) => target)));
  const ours = lines.flatMap(({ links }) => links.map(({ target }) => target));
  return [...new Set(ours)].filter((target) => isRelative(target) && !theirs.has(target));
}

/** Returns the keys by which a link can be recognized in the other version. */
function keysOf({ title, target }: TitledLink): string[] {
  const tail = tailKey(target);
  return [...(title ? [`t ${titleKey(title)}`] : []), `a ${addressKey(target)}`, ...(tail ? [`e ${tail}`] : [])];
}

/** Most links of each side that are matched; the others count as lost and added. */
const maxPairedLinkCount = 20_000;

/** Pairs lost links with added ones; each of them once. */
function pairLinks(removed: readonly TitledLink[], added: readonly TitledLink[]) {
  const known = new Map<string, TitledLink[]>();
  for (const link of added.slice(0, maxPairedLinkCount).reverse()) {
    for (const key of keysOf(link)) {
      const same = known.get(key);
      if (same) same.push(link);
      else known.set(key, [link]);
    }
  }
  const relinked = new Set<TitledLink>();
  const lost: TitledLink[] = [];
  const find = (key: string): TitledLink | undefined => {
    const links = known.get(key) ?? [];
    while (links.length > 0 && relinked.has(links.at(-1)!)) links.pop();
    return links.pop();
  };
  for (const link of removed.slice(0, maxPairedLinkCount)) {
    const match = keysOf(link)
      .map(find)
      .find((found) => found);
    if (match) relinked.add(match);
    else lost.push(link);
  }
  for (const link of removed.slice(maxPairedLinkCount)) lost.push(link);
  return { lost, relinked: [...relinked], added: added.filter((link) => !relinked.has(link)) };
}

/** Whether a line begins with a link or is that of a tag; links within sentences are no entries. */
const isEntry = (text: string) => /^\s*(?:(?:[-*+]|\d{1,3}[.)])\s+|\|\s*)?(?:\*\*|__)?[[<]/.test(text);

/** Fewest words beside the titles of links that make a sentence. */
const minSentenceWordCount = 5;

/** A link on a line of its own in the middle of a wrapped sentence: `<a href="/plans">our plans</a>.` */
const inlineTag = /^\s*<a\b/;

/** Whether the links of a line are part of a sentence. */
function isSentence({ text, links, isCode }: ReadLine): boolean {
  if (isCode || links.length === 0) return false;
  if ((inlineTag.test(text) || !isEntry(text)) && /^\p{Ll}/u.test(links[0]!.title)) return true;
  const countOf = (words: string) => words.match(/\p{L}{2,}/gu)?.length ?? 0;
  const linked = links.reduce((sum, { title }) => sum + countOf(title), 0);
  return !isEntry(text) && countOf(plainOf(text)) - linked >= minSentenceWordCount;
}

/** Compares the links of two versions. */
export function compareLinks(
  before: string,
  comparison: NonNullable<Change["comparison"]>,
  lines: ReadLines,
): LinkChanges {
  const titled = (targets: readonly string[], titles: ReadonlyMap<string, string>) =>
    targets
      .filter((target) => !lines.codeTargets.has(target) && !image.test(target))
      .map((target) => ({ target, title: titles.get(target) ?? "" }));
  const removed = [...comparison.linksRemoved, ...relativeTargets(lines.removed, lines.added)];
  const added = [...comparison.linksAdded, ...relativeTargets(lines.added, lines.removed)];
  const pairs = pairLinks(titled(removed, lines.titles.removed), titled(added, lines.titles.added));
  const retitled = lines.added.filter(({ text, links, partner }) => {
    const [link] = links;
    const [old] = partner?.links ?? [];
    if (!link || !old || link.target !== old.target || titleKey(link.title) === titleKey(old.title)) return false;
    return isEntry(text) && !isSpelling(old.title, link.title);
  });
  const anchored = lines.added.filter(
    ({ links, partner, text }) =>
      links.some(({ target }, index) => target.startsWith("#") && partner?.links[index]?.target !== target) &&
      partner !== undefined &&
      plainOf(text) === plainOf(partner.text),
  );
  const all = isIndex(before) ? [] : [...lines.added, ...lines.removed];
  const targetsOf = (some: readonly ReadLine[]) => some.flatMap(({ links }) => links.map(({ target }) => target));
  const inEntries = new Set(targetsOf(all.filter((line) => !isSentence(line))));
  const inSentences = new Set(targetsOf(all.filter(isSentence)).filter((target) => !inEntries.has(target)));
  const totalBefore = pairs.lost.length > 0 ? countLinks(before) : 0;
  return { ...pairs, inSentences, retitled, anchored, totalBefore };
}

/** Whether nearly all removed links were relinked. */
export function isRestructure({ lost, relinked }: LinkChanges): boolean {
  return relinked.length > 0 && relinked.length >= restructuredShare * (lost.length + relinked.length);
}

/** Fewest entries of a list of links, and their share of the lines. */
export const minIndexLinkCount = 10;
const minEntryShare = 0.4;

/** Whether a text is mostly a list of links, such as an `llms.txt`, and not a page. */
export function isIndex(text: string): boolean {
  const entries = text.match(/^[ \t]{0,8}(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:\*\*)?\[/gm)?.length ?? 0;
  if (entries < minIndexLinkCount) return false;
  return entries >= minEntryShare * (text.match(/^.*\S/gm)?.length ?? 0);
}
