import { type HunkLine, parseUnified, truncateDiffText } from "#lib/tracking/diffs/index";
import { isBanner, lineKey, maxReadLineLength, plainOf, titleKey } from "#lib/tracking/wording/index";
import type { Change } from "../../analysis";
import { findLineLinks, type TitledLink } from "./links";
import { type CodeBlock, type Outline, placeOf } from "./outline";

export type ReadLine = {
  text: string;
  number: number;
  key: string;
  path: string;
  isCode: boolean;
  /** The language of its fenced code, and whether all of that code is new or gone; undefined outside of fences. */
  block?: { language: string; isWhole: boolean };
  /** Whether it belongs to the front matter, such as the title and keywords of a page, is a comment, or defines a link. */
  isMeta: boolean;
  links: TitledLink[];
  header?: string[];
  partner?: ReadLine;
};

export type Sides = { removed: ReadLine[]; added: ReadLine[] };

export type ReadLines = Sides & {
  /** Titles by URL of the links in all lines of the diff, including those that only moved. */
  titles: { removed: Map<string, string>; added: Map<string, string> };
  /** URLs that occur only in code and are therefore not links. */
  codeTargets: Set<string>;
  hasMoved: boolean;
  isCut: boolean;
};

/** Most changed lines, and the longest diff in UTF-16 code units, that is read completely; otherwise its beginning is. */
const [maxReadLineCount, maxReadDiffLength] = [60_000, 2 * 1024 * 1024];

/** The target of links that name it, which is not displayed: `[docs]: https://…`. */
const linkDefinition = /^ {0,3}\[[^\]]{1,200}\]:/;
const importLine = /^(?:import|export) .{1,200} from ["'][^"']{1,200}["'];?\s*$/;

/** Returns a line of code without what formatters change: the kind of quotes, and spaces and commas at its end and beside brackets. */
const codeKey = (text: string) =>
  text
    .trim()
    .replace(/['`]/g, '"')
    .replace(/\s+/g, " ")
    .replace(/ ?([()[\]{}]) ?/g, "$1")
    .replace(/,(?=[)\]}])|[;,]+$/g, "");
const metaKey = (text: string) =>
  text
    .replace(/['"`]+/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[;,]+$/, "");

function readSide(lines: readonly HunkLine[], outline: Outline, numberOf: (line: HunkLine) => number): ReadLine[] {
  const places = lines.map((line) => placeOf(outline, numberOf(line) - 1));
  const changedCounts = new Map<CodeBlock, number>();
  for (const { block } of places) if (block) changedCounts.set(block, (changedCounts.get(block) ?? 0) + 1);
  return lines.map((line, index) => {
    const { path, block, header } = places[index]!;
    const number = numberOf(line) - 1;
    const isMeta = outline.isHidden(number) || linkDefinition.test(line.text);
    // A diff can count the fence of the block before as changed instead of its own.
    const isWhole = block !== undefined && changedCounts.get(block)! >= block.last - block.first;
    return {
      text: line.text,
      number,
      key: block ? codeKey(line.text) : isMeta ? metaKey(line.text) : lineKey(line.text),
      path,
      isCode: block !== undefined || importLine.test(line.text),
      ...(block && { block: { language: block.language, isWhole } }),
      isMeta,
      links: findLineLinks(line.text),
      ...(header && !block && { header }),
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

function groupBy(lines: readonly ReadLine[], keyOf: (line: ReadLine) => string): Map<string, ReadLine[]> {
  const groups = new Map<string, ReadLine[]>();
  for (const line of lines) {
    const key = keyOf(line);
    if (!groups.get(key)?.push(line)) groups.set(key, [line]);
  }
  return groups;
}

function removeCommon({ removed, added }: Sides): Sides & { hasMoved: boolean } {
  const real = added.filter(({ key, text }) => key !== "" && !isBanner(text));
  // A line that is in several sections has moved only if its own section no longer has it.
  const sectionKey = ({ key, path }: ReadLine) => `${path.slice(path.lastIndexOf(" > ") + 1).toLowerCase()}\n${key}`;
  const inPlace = groupBy(removed, sectionKey);
  const elsewhere = real.filter((line) => inPlace.get(sectionKey(line))?.pop() === undefined);
  const unmatched = groupBy([...inPlace.values()].flat(), ({ key }) => key);
  const left = elsewhere.filter(({ key }) => unmatched.get(key)?.pop() === undefined);
  unmatched.delete("");
  const isLeft = new Set([...unmatched.values()].flat().filter(({ text }) => !isBanner(text)));
  return { removed: removed.filter((line) => isLeft.has(line)), added: left, hasMoved: left.length < elsewhere.length };
}

const pathOf = ({ path }: ReadLine) => path;

/** Returns the keys by which a line can be recognized, most reliable first. */
function matchKeys({ links: [link], path, text }: ReadLine): string[] {
  // A row is known by its first cell, a labelled line by its label: `**Status:** open`, `- Lite: $5`.
  const label =
    /^\s{0,8}(?:[-*+] )?(?:\*\*|__)([^:*_]{2,40})(?::(?:\*\*|__)|(?:\*\*|__):)\s|^\s{0,8}[-*+] ([^:*_[\]]{2,40}):\s|^\s*\|([^|]*)/.exec(
      text,
    );
  const name = label?.slice(1).find((each) => each !== undefined);
  const start = plainOf(text).toLowerCase().split(" ").slice(0, 3).join(" ");
  const key = name === undefined ? `w ${start}` : `n ${titleKey(name)}`;
  const ofLink = link ? [`u ${link.target}`, ...(link.title ? [`t ${titleKey(link.title)}`] : [])] : [];
  return [...ofLink, `${path}\n${key}`];
}

const wordsOf = ({ isCode, key, text }: ReadLine) =>
  (isCode ? text.slice(0, maxReadLineLength).trim() : key).split(/[\s|]+/).filter(Boolean);

function similarity(a: ReadLine, b: ReadLine): number {
  const [words, others] = [new Set(wordsOf(a)), new Set(wordsOf(b))];
  const common = [...others].filter((word) => words.has(word)).length;
  return common / Math.max(1, Math.min(words.size, others.size));
}

/** Similarity of lines in the same place of a section, and of lines anywhere in it, which need some words. */
const [minSimilarity, minPairSimilarity, minPairWordCount] = [0.3, 0.7, 5];
const [maxComparisonCount, maxSameKeyCount] = [900, 5];

/** Pairs each added line with the removed line that it replaced. */
function pair({ removed, added }: Sides): void {
  const join = (line: ReadLine, partner: ReadLine) => {
    line.partner = partner;
    partner.partner = line;
  };
  const isFree = ({ partner }: ReadLine) => partner === undefined;
  for (const rank of [0, 1, 2]) {
    const known = groupBy(removed.filter(isFree), (line) => matchKeys(line)[rank] ?? "");
    known.delete("");
    for (const line of added.filter(isFree)) {
      const same = matchKeys(line).find((key) => (known.get(key)?.length ?? 0) > 0);
      const lines = known.get(same ?? "") ?? [];
      const shares = lines
        .slice(0, maxSameKeyCount)
        .map((partner) => (lines.length > 1 ? similarity(line, partner) : 1));
      const [best] = lines.splice(shares.indexOf(Math.max(...shares)), shares.length > 0 ? 1 : 0);
      if (best) join(line, best);
    }
  }
  const others = groupBy(removed.filter(isFree), pathOf);
  for (const [path, lines] of groupBy(added.filter(isFree), pathOf)) {
    const old = others.get(path) ?? [];
    for (const [index, line] of old.length === lines.length ? lines.entries() : []) {
      if (similarity(line, old[index]!) >= minSimilarity) join(line, old[index]!);
    }
    if (old.length * lines.length > maxComparisonCount) continue;
    const isLong = (line: ReadLine) => !line.isCode && wordsOf(line).length >= minPairWordCount;
    for (const line of lines.filter((each) => isFree(each) && isLong(each))) {
      const [best] = old
        .filter((each) => isFree(each) && isLong(each))
        .map((partner) => ({ partner, share: similarity(line, partner) }))
        .sort((a, b) => b.share - a.share);
      if (best && best.share >= minPairSimilarity) join(line, best.partner);
    }
  }
}

function beginningOf(diffText: string): string {
  const bounded = truncateDiffText(diffText);
  return bounded.slice(0, bounded.lastIndexOf("\\"));
}

export function readLines(comparison: NonNullable<Change["comparison"]>, before: Outline, after: Outline): ReadLines {
  const { linesAdded, linesRemoved, text } = comparison;
  const isCut = linesAdded + linesRemoved > maxReadLineCount || text.length > maxReadDiffLength;
  const lines = parseUnified(isCut ? beginningOf(text) : text).flatMap((hunk) => hunk.lines);
  const ofKind = (wanted: HunkLine["kind"]) => lines.filter(({ kind }) => kind === wanted);
  const removed = readSide(ofKind("removed"), before, ({ oldLine }) => oldLine!);
  const added = readSide(ofKind("added"), after, ({ newLine }) => newLine!);
  const titles = { removed: titlesOf(removed), added: titlesOf(added) };
  const real = removeCommon({ removed, added });
  pair(real);
  const inCode = [...removed, ...added].filter(({ isCode }) => isCode).flatMap(({ links }) => links);
  const isTitled = (target: string) => titles.removed.has(target) || titles.added.has(target);
  const codeTargets = new Set(inCode.map(({ target }) => target).filter((target) => !isTitled(target)));
  return { ...real, titles, codeTargets, isCut };
}
