import type { Outline, Section } from "../text/outline";
import { findLineLinks, lineKey, titleKey } from "../text/plain-text";
import { isSpelling } from "../text/word-changes";

type SectionChange = {
  path: string;
  linkCount: number;
  /** Length including subsections, in UTF-16 code units. */
  length: number;
  /** Whether its content, including subsections, is new or lost; false if most of it is elsewhere in the other version. */
  isReal: boolean;
  /** Whether it is a heading without content. */
  isEmpty: boolean;
};

export type SectionChanges = {
  added: SectionChange[];
  removed: SectionChange[];
  /** Sections with a new name under the same parent; one whose spelling was corrected has no other name. */
  renamed: { from: string; to: string; isCorrection: boolean }[];
  /** Sections under another parent. */
  moved: { from: string; to: string }[];
  /** Whether the sections that both versions have are in another order. */
  isReordered: boolean;
  titleChanged: boolean;
};

/** Most lines that are read to compare sections. */
const maxReadLineCount = 150_000;
/** Share of a section's content that must be elsewhere for the section not to be new or lost. */
const restructuredShare = 0.8;
/** Share of common content from which two sections are the same section under another name. */
const sameShare = 0.5;

type Content = { keys: string[]; linkCount: number };

/** Reads content as comparable keys. A line with a link is identified by the link's title, not its URL. */
class ContentReader {
  #left = maxReadLineCount;

  read(text: string, start: number, end: number): Content {
    const content: Content = { keys: [], linkCount: 0 };
    for (let at = start; at < end && this.#left > 0; this.#left--) {
      const newline = text.indexOf("\n", at);
      const lineEnd = newline < 0 || newline > end ? end : newline;
      const line = text.slice(at, lineEnd);
      at = lineEnd + 1;
      if (/^ {0,3}#{1,6}[ \t]/.test(line)) continue;
      const links = findLineLinks(line);
      content.linkCount += links.length;
      const key = links[0]?.title ? titleKey(links[0].title) : lineKey(line);
      if (key) content.keys.push(key);
    }
    return content;
  }

  /** Reads a section with its subsections. */
  readSection(text: string, { start, treeEnd }: Section): Content {
    return this.read(text, start, treeEnd);
  }
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf(" > ")));
const lastNameOf = (path: string) => path.slice(parentOf(path).length).replace(/^ > /, "");

function isIn(keys: readonly string[], all: ReadonlySet<string>): boolean {
  const found = keys.filter((key) => all.has(key)).length;
  return found >= restructuredShare * keys.length;
}

type Candidate = { section: Section; content: Content; match?: Candidate };

/** Matches sections that have most of their content in common. */
function matchSections(oldOnly: readonly Candidate[], newOnly: readonly Candidate[]): void {
  const owners = new Map<string, Candidate[]>();
  for (const candidate of newOnly) {
    for (const key of new Set(candidate.content.keys)) {
      const known = owners.get(key) ?? [];
      if (known.length === 0) owners.set(key, known);
      // A section shares its content with those above it.
      if (known.length < 6) known.push(candidate);
    }
  }
  for (const candidate of oldOnly) {
    const votes = new Map<Candidate, number>();
    const keys = new Set(candidate.content.keys);
    for (const key of keys) for (const owner of owners.get(key) ?? []) votes.set(owner, (votes.get(owner) ?? 0) + 1);
    for (const [owner, count] of [...votes].sort(([, a], [, b]) => b - a)) {
      const isSame = count >= sameShare * keys.size && count >= sameShare * new Set(owner.content.keys).size;
      if (!isSame || owner.match) continue;
      owner.match = candidate;
      candidate.match = owner;
      break;
    }
  }
}

function uniqueByPath(sections: readonly Section[], others: ReadonlySet<string>): Section[] {
  const seen = new Set<string>();
  return sections.filter(({ path }) => path !== "" && !others.has(path) && !seen.has(path) && seen.add(path));
}

/** Converts paths to lowercase, so that headings that differ only in case are the same. */
const fold = ({ sections }: Outline) =>
  sections.map((section) => ({ ...section, path: section.path.toLowerCase(), shown: section.path }));

function orderOf(paths: readonly string[], common: ReadonlySet<string>): string {
  return [...new Set(paths)].filter((path) => common.has(path)).join("\n");
}

/** Compares the sections of two versions. */
export function compareSections(before: string, old: Outline, after: string, now: Outline): SectionChanges {
  const [oldSections, nowSections] = [fold(old), fold(now)];
  const oldPaths = oldSections.map(({ path }) => path);
  const nowPaths = nowSections.map(({ path }) => path);
  const [oldSet, nowSet] = [new Set(oldPaths), new Set(nowPaths)];
  const reader = new ContentReader();
  const shown = new Map([...oldSections, ...nowSections].map(({ path, shown }) => [path, shown]));
  const candidates = (text: string, sections: readonly Section[]): Candidate[] =>
    sections.map((section) => ({ section, content: reader.readSection(text, section) }));
  const oldOnly = candidates(before, uniqueByPath(oldSections, nowSet));
  const newOnly = candidates(after, uniqueByPath(nowSections, oldSet));
  matchSections(oldOnly, newOnly);

  const pairs = oldOnly.filter(({ match }) => match).map(({ section, match }) => [section.path, match!.section.path]);
  const renamedTo = new Map(pairs as [string, string][]);
  const isRename = ([from, to]: string[]) => {
    const parent = parentOf(from!);
    return parentOf(to!) === (renamedTo.get(parent) ?? parent);
  };
  const show = ([from, to]: string[]) => ({ from: shown.get(from!)!, to: shown.get(to!)! });
  // Excludes sections whose path changed only because a heading above them was renamed.
  const own = pairs.filter((paths) => !(isRename(paths) && lastNameOf(paths[0]!) === lastNameOf(paths[1]!)));

  const change = ({ section, content }: Candidate, others: ReadonlySet<string>): SectionChange => ({
    path: shown.get(section.path)!,
    linkCount: content.linkCount,
    length: section.treeEnd - section.start,
    isEmpty: content.keys.length === 0,
    isReal: content.keys.length > 0 && !isIn(content.keys, others),
  });
  const unmatchedOld = oldOnly.filter(({ match }) => !match);
  const unmatchedNew = newOnly.filter(({ match }) => !match);
  const keysOf = (text: string) => new Set(new ContentReader().read(text, 0, text.length).keys);
  const afterKeys = unmatchedOld.length > 0 ? keysOf(after) : new Set<string>();
  const beforeKeys = unmatchedNew.length > 0 ? keysOf(before) : new Set<string>();
  const common = new Set(oldPaths.filter((path) => nowSet.has(path)));
  return {
    added: unmatchedNew.map((candidate) => change(candidate, beforeKeys)),
    removed: unmatchedOld.map((candidate) => change(candidate, afterKeys)),
    renamed: own
      .filter(isRename)
      .map(show)
      .map(({ from, to }) => ({ from, to, isCorrection: isSpelling(lastNameOf(from), lastNameOf(to)) })),
    moved: own.filter((paths) => !isRename(paths)).map(show),
    isReordered: orderOf(oldPaths, common) !== orderOf(nowPaths, common),
    titleChanged: old.title.toLowerCase() !== now.title.toLowerCase() && !isSpelling(old.title, now.title),
  };
}
