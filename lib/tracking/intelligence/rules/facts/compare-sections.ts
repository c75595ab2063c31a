import { lineKey, titleKey } from "#lib/tracking/wording/index";
import { findLineLinks } from "../text/links";
import type { Outline, Section } from "../text/outline";

type SectionChange = {
  path: string;
  linkCount: number;
  /** Words including those of subsections. */
  wordCount: number;
  /** Whether its content, including subsections, is new or lost; false if it is empty, or if most of it is elsewhere. */
  isReal: boolean;
  isEmpty: boolean;
};

export type SectionChanges = {
  added: SectionChange[];
  removed: SectionChange[];
  /** Sections with a new name under the same parent. */
  renamed: { from: string; to: string }[];
  moved: { from: string; to: string }[];
  isReordered: boolean;
  titleChanged: boolean;
};

const [maxReadLineCount, maxOwnerCount] = [150_000, 6];
const restructuredShare = 0.8;
/** Share of common content from which two sections are the same section under another name. */
const sameShare = 0.5;

type Content = { keys: string[]; linkCount: number; wordCount: number };

/** Returns a reader of content as comparable keys. A line with a link is identified by the link's title, not its URL. */
function contentReader() {
  let left = maxReadLineCount;
  return ({ lines }: Outline, start: number, end: number): Content => {
    const content: Content = { keys: [], linkCount: 0, wordCount: 0 };
    for (let at = start; at < end && left > 0; at++, left--) {
      const line = lines[at]!;
      if (/^ {0,3}#{1,6}[ \t]/.test(line)) continue;
      const links = findLineLinks(line);
      content.linkCount += links.length;
      const key = links[0]?.title ? titleKey(links[0].title) : lineKey(line);
      if (key) content.keys.push(key);
      content.wordCount += key.split(" ").length;
    }
    return content;
  };
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf(" > ")));
const nameIn = (path: string) => path.slice(parentOf(path).length).replace(/^ > /, "");

type Candidate = { section: Section; content: Content; match?: Candidate };

function matchSections(oldOnly: readonly Candidate[], newOnly: readonly Candidate[]): void {
  const owners = new Map<string, Candidate[]>();
  for (const candidate of newOnly) {
    for (const key of new Set(candidate.content.keys)) {
      const known = owners.get(key) ?? [];
      if (known.length < maxOwnerCount) owners.set(key, [...known, candidate]);
    }
  }
  // A section with the same name is more likely the same one.
  for (const isNamed of [true, false]) {
    for (const candidate of oldOnly.filter(({ match }) => !match)) {
      const keys = new Set(candidate.content.keys);
      const votes = new Map<Candidate, number>();
      for (const key of keys) for (const owner of owners.get(key) ?? []) votes.set(owner, (votes.get(owner) ?? 0) + 1);
      const isSame = ([owner, count]: [Candidate, number]) =>
        !owner.match &&
        (!isNamed || nameIn(owner.section.path) === nameIn(candidate.section.path)) &&
        count >= sameShare * Math.max(keys.size, new Set(owner.content.keys).size);
      const owner = [...votes].sort(([, a], [, b]) => b - a).find(isSame)?.[0];
      if (owner) [owner.match, candidate.match] = [candidate, owner];
    }
  }
}

export function compareSections(old: Outline, now: Outline): SectionChanges {
  const keyOf = ({ path }: Section) => path.toLowerCase();
  const [oldKeys, nowKeys] = [new Set(old.sections.map(keyOf)), new Set(now.sections.map(keyOf))];
  const read = contentReader();
  const onlyIn = (outline: Outline, others: ReadonlySet<string>): Candidate[] => {
    const own = new Map(outline.sections.map((section) => [keyOf(section), section] as const).reverse());
    const only = [...own.values()].reverse().filter((section) => section.path !== "" && !others.has(keyOf(section)));
    return only.map((section) => ({ section, content: read(outline, section.line, section.treeEnd) }));
  };
  const [oldOnly, newOnly] = [onlyIn(old, nowKeys), onlyIn(now, oldKeys)];
  matchSections(oldOnly, newOnly);
  const countKeys = (outline: Outline) => {
    const counts = new Map<string, number>();
    for (const key of contentReader()(outline, 0, outline.lines.length).keys)
      counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  };
  const changesOf = (candidates: readonly Candidate[], own: Outline, other: Outline): SectionChange[] => {
    const unmatched = candidates.filter(({ match }) => !match);
    const [ours, theirs] = (unmatched.length > 0 ? [own, other] : []).map(countKeys);
    // What other sections have as well, in both versions, is not this section's content elsewhere.
    const isKept = (key: string) => (theirs?.get(key) ?? 0) >= (ours?.get(key) ?? 0);
    return unmatched.map(({ section, content: { keys, linkCount, wordCount } }) => {
      const isElsewhere = keys.filter(isKept).length >= restructuredShare * keys.length;
      return { path: section.path, linkCount, wordCount, isEmpty: keys.length === 0, isReal: !isElsewhere };
    });
  };
  const pairs = oldOnly.flatMap(({ section: { path: from }, match }) =>
    match ? [{ from, to: match.section.path }] : [],
  );
  const renamedTo = new Map(pairs.map(({ from, to }) => [from, to]));
  const isRename = ({ from, to }: { from: string; to: string }) =>
    parentOf(to).toLowerCase() === (renamedTo.get(parentOf(from)) ?? parentOf(from)).toLowerCase();
  // Excludes sections whose path changed only because a heading above them was renamed.
  const own = pairs.filter((pair) => !(isRename(pair) && nameIn(pair.from) === nameIn(pair.to)));
  const orderOf = (keys: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...keys].filter((key) => others.has(key)).join("\n");
  return {
    added: changesOf(newOnly, now, old),
    removed: changesOf(oldOnly, old, now),
    renamed: own.filter(isRename),
    moved: own.filter((pair) => !isRename(pair)),
    isReordered: orderOf(oldKeys, nowKeys) !== orderOf(nowKeys, oldKeys),
    titleChanged: old.title.toLowerCase() !== now.title.toLowerCase(),
  };
}
