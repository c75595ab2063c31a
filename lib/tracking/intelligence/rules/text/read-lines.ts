import { type HunkLine, parseUnified, truncateDiffText } from "#lib/tracking/diffs/index";
import type { Change } from "../../analysis";
import { isBanner } from "./markup";
import { type CodeBlock, codeBlockAt, headerAt, isStyleAt, type Outline, sectionAt } from "./outline";
import { findLineLinks, lineKey, maxReadLineLength, plainOf, type TitledLink, titleKey } from "./plain-text";

/** A line that only one version has. */
export type ReadLine = {
  text: string;
  /** Index of the line in its version of the text. */
  number: number;
  key: string;
  /** The section's path. */
  path: string;
  isCode: boolean;
  /** The language of its fenced code, and whether all of that code is new or gone; undefined outside of fences. */
  block?: { language: string; isWhole: boolean };
  /** Whether it belongs to the front matter, such as the title and keywords of a page. */
  isMeta: boolean;
  links: TitledLink[];
  /** The cells of the header, for a row of a table. */
  header?: string[];
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

/** Imports of components at the top of MDX files. */
const importLine = /^(?:import|export) .{1,200} from ["'][^"']{1,200}["'];?\s*$/;

function readSide(lines: readonly HunkLine[], outline: Outline, numberOf: (line: HunkLine) => number): ReadLine[] {
  const changedCounts = new Map<CodeBlock, number>();
  for (const line of lines) {
    const code = codeBlockAt(outline, numberOf(line) - 1);
    if (code) changedCounts.set(code, (changedCounts.get(code) ?? 0) + 1);
  }
  return lines.map((line) => {
    const number = numberOf(line) - 1;
    const code = codeBlockAt(outline, number);
    const inFence = code !== undefined;
    const header = headerAt(outline, number);
    // A diff can count the fence of the block before as changed instead of its own.
    const isWhole = code !== undefined && changedCounts.get(code)! >= code.last - code.first;
    return {
      text: line.text,
      number,
      // Formatters change the quotes, commas and spaces of code. Style sheets are no content.
      key: isStyleAt(outline, number) ? "" : inFence ? line.text.replace(/[\s;,'"`]+/g, "") : lineKey(line.text),
      path: sectionAt(outline, number).path,
      isCode: inFence || importLine.test(line.text),
      ...(code && { block: { language: code.language, isWhole } }),
      isMeta: number < outline.metaLineCount,
      links: findLineLinks(line.text),
      ...(header && !inFence && { header }),
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
    if (line.key === "" || isBanner(line.text)) return false;
    const match = unmatched.get(line.key)?.pop();
    if (match && match.path.toLowerCase() !== line.path.toLowerCase()) hasMoved = true;
    return match === undefined;
  });
  unmatched.delete("");
  const isLeft = new Set([...unmatched.values()].flat().filter(({ text }) => !isBanner(text)));
  return { removed: removed.filter((line) => isLeft.has(line)), added: left, hasMoved };
}

/** Removes the lines of sections whose changed lines have the same words, wrapped in another way. */
function removeRewrapped({ removed, added, hasMoved }: ReturnType<typeof removeCommon>) {
  const wordsOf = (lines: readonly ReadLine[]) =>
    lines
      .map(({ key }) => key)
      .join("")
      .replace(/[\s.;,]+/g, "");
  const others = groupByPath(removed);
  const same = new Set<string>();
  for (const [path, lines] of groupByPath(added)) {
    const old = others.get(path);
    if (old && old.length !== lines.length && wordsOf(old) === wordsOf(lines)) same.add(path);
  }
  const isLeft = ({ path }: ReadLine) => !same.has(path);
  return { removed: removed.filter(isLeft), added: added.filter(isLeft), hasMoved };
}

/** A line that names its value: `**Status:** open`. */
const labelled = /^\s{0,8}(?:[-*+] )?(?:\*\*|__)([^:*_]{2,40})(?::(?:\*\*|__)|(?:\*\*|__):)\s/;

/** Returns the keys by which a line can be recognized, most reliable first. */
function matchKeys({ links, path, text }: ReadLine): string[] {
  const [link] = links;
  const words = plainOf(text).toLowerCase().split(" ").slice(0, 3).join(" ");
  const name = labelled.exec(text)?.[1];
  const start = name ? `n ${titleKey(name)}` : `w ${words}`;
  const cell = text.trimStart().startsWith("|") ? `c ${titleKey(text.split("|")[1] ?? "")}` : start;
  return [
    ...(link ? [`u ${link.target}`] : []),
    ...(link?.title ? [`t ${titleKey(link.title)}`] : []),
    `${path}\n${cell}`,
  ];
}

const wordsOf = ({ isCode, key, text }: ReadLine) =>
  (isCode ? text.slice(0, maxReadLineLength).trim() : key).split(/[\s|]+/).filter(Boolean);

/** Returns the share of words that two lines have in common. */
function similarity(a: ReadLine, b: ReadLine): number {
  const [words, others] = [new Set(wordsOf(a)), new Set(wordsOf(b))];
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
  pairBySimilarity(removed, added, taken);
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

/** Most lines of a section on each side that are compared with all of the other side. */
const maxComparedLineCount = 30;
const minPairSimilarity = 0.7;
const minPairWordCount = 5;

/** Pairs the remaining prose of a section with its most similar line, in sections with few changed lines. */
function pairBySimilarity(removed: readonly ReadLine[], added: readonly ReadLine[], taken: Set<ReadLine>): void {
  const others = groupByPath(removed.filter((line) => !taken.has(line)));
  for (const [path, lines] of groupByPath(added.filter(({ partner, isCode }) => !partner && !isCode))) {
    const partners = others.get(path) ?? [];
    if (Math.max(partners.length, lines.length) > maxComparedLineCount) continue;
    for (const line of lines) {
      const free = partners.filter((partner) => !taken.has(partner) && wordsOf(partner).length >= minPairWordCount);
      const [best] = free
        .map((partner) => ({ partner, share: similarity(line, partner) }))
        .sort((a, b) => b.share - a.share);
      if (best && best.share >= minPairSimilarity && wordsOf(line).length >= minPairWordCount) {
        join(line, best.partner, taken);
      }
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
  const real = removeRewrapped(removeCommon(removed, added));
  pair(real.removed, real.added);
  const inCode = [...removed, ...added].filter(({ isCode }) => isCode).flatMap(({ links }) => links);
  const codeTargets = new Set(inCode.map(({ target }) => target).filter((target) => !isTitled(titles, target)));
  return { ...real, titles, codeTargets, isCut };
}
