import { type HunkLine, parseUnified, truncateDiffText } from "#lib/tracking/diffs/index";
import type { Change } from "../analysis";
import { isFenced, type Outline, sectionAt } from "./outline";
import { findLineLinks, lineKey, plainOf, type TitledLink, titleKey } from "./plain-text";

/** A line that only one version has. */
export type ReadLine = {
  text: string;
  key: string;
  /** The section's path. */
  path: string;
  isCode: boolean;
  links: TitledLink[];
  /** The corresponding line of the other version, if it is known. */
  partner?: ReadLine;
};

/** Lines that differ in more than formatting and position. */
export type ReadLines = {
  removed: ReadLine[];
  added: ReadLine[];
  /** Titles by URL of the links in all lines of the diff, including those that only moved. */
  titles: { removed: Map<string, string>; added: Map<string, string> };
  /** URLs that occur only in code and are therefore not links. */
  codeTargets: Set<string>;
  /** Whether lines moved from one section to another. */
  hasMoved: boolean;
  /** Whether the diff was too long to be read completely. */
  isCut: boolean;
};

/** Most changed lines of a diff that is read completely; of a longer one only the beginning is read. */
const maxReadLineCount = 60_000;
/** The same for the length of the diff, in UTF-16 code units. */
const maxReadDiffLength = 2 * 1024 * 1024;

function readSide(lines: readonly HunkLine[], outline: Outline, numberOf: (line: HunkLine) => number): ReadLine[] {
  return lines.map((line) => {
    const number = numberOf(line) - 1;
    return {
      text: line.text,
      key: lineKey(line.text),
      path: sectionAt(outline, number).path,
      isCode: isFenced(outline, number),
      links: findLineLinks(line.text),
    };
  });
}

function titlesOf(lines: readonly ReadLine[]): Map<string, string> {
  const titles = new Map<string, string>();
  for (const { links, isCode } of lines) {
    if (isCode) continue;
    for (const { title, target } of links) if (!titles.get(target)) titles.set(target, title);
  }
  return titles;
}

/** Removes lines that are on both sides, and returns whether one of them moved to another section. */
function removeCommon(removed: readonly ReadLine[], added: readonly ReadLine[]) {
  const unmatched = new Map<string, ReadLine[]>();
  for (const line of removed) {
    const same = unmatched.get(line.key);
    if (same) same.push(line);
    else unmatched.set(line.key, [line]);
  }
  let hasMoved = false;
  const left = added.filter((line) => {
    if (line.key === "") return false;
    const match = unmatched.get(line.key)?.pop();
    if (match && match.path.toLowerCase() !== line.path.toLowerCase()) hasMoved = true;
    return match === undefined;
  });
  unmatched.delete("");
  const isLeft = new Set([...unmatched.values()].flat());
  return { removed: removed.filter((line) => isLeft.has(line)), added: left, hasMoved };
}

/** Returns the keys by which a line can be recognized, most reliable first. */
function matchKeys({ links, path, text }: ReadLine): string[] {
  const [link] = links;
  const words = plainOf(text).toLowerCase().split(" ").slice(0, 3).join(" ");
  const cell = text.trimStart().startsWith("|") ? `c ${titleKey(text.split("|")[1] ?? "")}` : `w ${words}`;
  return [
    ...(link ? [`u ${link.target}`] : []),
    ...(link?.title ? [`t ${titleKey(link.title)}`] : []),
    `${path}\n${cell}`,
  ];
}

/** Returns the share of words that two lines have in common. */
function similarity(a: ReadLine, b: ReadLine): number {
  const words = new Set(a.key.split(" "));
  const others = new Set(b.key.split(" "));
  let common = 0;
  for (const word of others) if (words.has(word)) common++;
  return common / Math.max(1, Math.min(words.size, others.size));
}

const minSimilarity = 0.3;

/** Pairs each added line with the removed line that it replaced. */
function pair(removed: readonly ReadLine[], added: readonly ReadLine[]): void {
  const taken = new Set<ReadLine>();
  for (const rank of [0, 1, 2]) {
    const known = new Map<string, ReadLine>();
    for (const line of removed) {
      const key = matchKeys(line)[rank];
      if (key && !taken.has(line) && !known.has(key)) known.set(key, line);
    }
    for (const line of added) {
      if (line.partner) continue;
      const keys = matchKeys(line);
      const partner = keys.map((key) => known.get(key)).find((found) => found && !taken.has(found));
      if (partner) join(line, partner, taken);
    }
  }
  pairByOrder(removed, added, taken);
}

/** Pairs the remaining lines of a section in order, if both sides have the same number and the lines are similar. */
function pairByOrder(removed: readonly ReadLine[], added: readonly ReadLine[], taken: Set<ReadLine>): void {
  const others = groupByPath(removed.filter((line) => !taken.has(line)));
  for (const [path, lines] of groupByPath(added.filter(({ partner }) => !partner))) {
    const partners = others.get(path) ?? [];
    if (partners.length !== lines.length) continue;
    for (const [index, line] of lines.entries()) {
      if (similarity(line, partners[index]!) >= minSimilarity) join(line, partners[index]!, taken);
    }
  }
}

function groupByPath(lines: readonly ReadLine[]): Map<string, ReadLine[]> {
  const groups = new Map<string, ReadLine[]>();
  for (const line of lines) {
    const group = groups.get(line.path);
    if (group) group.push(line);
    else groups.set(line.path, [line]);
  }
  return groups;
}

function join(line: ReadLine, partner: ReadLine, taken: Set<ReadLine>): void {
  line.partner = partner;
  partner.partner = line;
  taken.add(partner);
}

const isTitled = ({ removed, added }: ReadLines["titles"], target: string) => removed.has(target) || added.has(target);

/** Returns the beginning of a long diff, without the line that says how much is omitted. */
function beginningOf(diffText: string): string {
  const bounded = truncateDiffText(diffText);
  return bounded.slice(0, bounded.lastIndexOf("\\"));
}

/** Returns the changed lines of a comparison, paired where possible. */
export function readLines(comparison: NonNullable<Change["comparison"]>, before: Outline, after: Outline): ReadLines {
  const { linesAdded, linesRemoved, text } = comparison;
  const isCut = linesAdded + linesRemoved > maxReadLineCount || text.length > maxReadDiffLength;
  const lines = parseUnified(isCut ? beginningOf(text) : text).flatMap((hunk) => hunk.lines);
  const removed = readSide(
    lines.filter(({ kind }) => kind === "removed"),
    before,
    ({ oldLine }) => oldLine!,
  );
  const added = readSide(
    lines.filter(({ kind }) => kind === "added"),
    after,
    ({ newLine }) => newLine!,
  );
  const titles = { removed: titlesOf(removed), added: titlesOf(added) };
  const real = removeCommon(removed, added);
  pair(real.removed, real.added);
  const inCode = [...removed, ...added].filter(({ isCode }) => isCode).flatMap(({ links }) => links);
  const codeTargets = new Set(inCode.map(({ target }) => target).filter((target) => !isTitled(titles, target)));
  return { ...real, titles, codeTargets, isCut };
}
