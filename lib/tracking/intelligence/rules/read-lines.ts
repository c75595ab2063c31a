import { boundDiffText, type HunkLine, parseUnified } from "#lib/tracking/diffs/index";
import type { Change } from "../analysis";
import { isFenced, type Outline, sectionAt } from "./outline";
import { lineKey, linksOfLine, plainOf, type TitledLink, titleKey } from "./plain-text";

/** A line that one version lacks. */
export type ReadLine = {
  text: string;
  key: string;
  /** The section's path. */
  path: string;
  isCode: boolean;
  links: TitledLink[];
  /** What stood in its place on the other side, where that can be told. */
  partner?: ReadLine;
};

/** Lines that differ in more than formatting and place. */
export type ReadLines = {
  removed: ReadLine[];
  added: ReadLine[];
  /** Links of all lines of the diff, also of those that merely moved. */
  titles: { removed: Map<string, string>; added: Map<string, string> };
  /** Addresses that stand in code alone: they lead to no page. */
  codeTargets: Set<string>;
  /** Whether lines went from one section to another. */
  hasMoved: boolean;
  /** Whether the diff was too long to be read to its end. */
  isCut: boolean;
};

/** Lines of a diff beyond which its beginning alone is read. */
const maxReadLineCount = 60_000;
/** The same for its length, in UTF-16 code units. */
const maxReadDiffLength = 2 * 1024 * 1024;

function readSide(lines: readonly HunkLine[], outline: Outline, numberOf: (line: HunkLine) => number): ReadLine[] {
  return lines.map((line) => {
    const number = numberOf(line) - 1;
    return {
      text: line.text,
      key: lineKey(line.text),
      path: sectionAt(outline, number).path,
      isCode: isFenced(outline, number),
      links: linksOfLine(line.text),
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

/** Takes out lines that stand on both sides; tells whether one of them changed its section. */
function cancel(removed: readonly ReadLine[], added: readonly ReadLine[]) {
  const gone = new Map<string, ReadLine[]>();
  for (const line of removed) {
    const same = gone.get(line.key);
    if (same) same.push(line);
    else gone.set(line.key, [line]);
  }
  let hasMoved = false;
  const left = added.filter((line) => {
    if (line.key === "") return false;
    const match = gone.get(line.key)?.pop();
    if (match && match.path.toLowerCase() !== line.path.toLowerCase()) hasMoved = true;
    return match === undefined;
  });
  gone.delete("");
  const isLeft = new Set([...gone.values()].flat());
  return { removed: removed.filter((line) => isLeft.has(line)), added: left, hasMoved };
}

/** What a line can be known by, the surest first. */
function marksOf({ links, path, text }: ReadLine): string[] {
  const [link] = links;
  const words = plainOf(text).toLowerCase().split(" ").slice(0, 3).join(" ");
  const cell = text.trimStart().startsWith("|") ? `c ${titleKey(text.split("|")[1] ?? "")}` : `w ${words}`;
  return [
    ...(link ? [`u ${link.target}`] : []),
    ...(link?.title ? [`t ${titleKey(link.title)}`] : []),
    `${path}\n${cell}`,
  ];
}

/** Share of the words that two lines have in common. */
function likeness(a: ReadLine, b: ReadLine): number {
  const words = new Set(a.key.split(" "));
  const others = new Set(b.key.split(" "));
  let common = 0;
  for (const word of others) if (words.has(word)) common++;
  return common / Math.max(1, Math.min(words.size, others.size));
}

const minLikeness = 0.3;

/** Pairs each added line with the removed one whose place it took. */
function pair(removed: readonly ReadLine[], added: readonly ReadLine[]): void {
  const taken = new Set<ReadLine>();
  for (const rank of [0, 1, 2]) {
    const known = new Map<string, ReadLine>();
    for (const line of removed) {
      const mark = marksOf(line)[rank];
      if (mark && !taken.has(line) && !known.has(mark)) known.set(mark, line);
    }
    for (const line of added) {
      if (line.partner) continue;
      const marks = marksOf(line);
      const partner = marks.map((mark) => known.get(mark)).find((found) => found && !taken.has(found));
      if (partner) join(line, partner, taken);
    }
  }
  pairByOrder(removed, added, taken);
}

/** What is left of a section stands for each other in turn, if it is as many lines on both sides. */
function pairByOrder(removed: readonly ReadLine[], added: readonly ReadLine[], taken: Set<ReadLine>): void {
  const others = groupByPath(removed.filter((line) => !taken.has(line)));
  for (const [path, lines] of groupByPath(added.filter(({ partner }) => !partner))) {
    const partners = others.get(path) ?? [];
    if (partners.length !== lines.length) continue;
    for (const [index, line] of lines.entries()) {
      if (likeness(line, partners[index]!) >= minLikeness) join(line, partners[index]!, taken);
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

/** The beginning of a long diff, without the line that says how much is missing. */
function beginningOf(diffText: string): string {
  const bounded = boundDiffText(diffText);
  return bounded.slice(0, bounded.lastIndexOf("\\"));
}

/** Reads the diff of a change. */
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
  const real = cancel(removed, added);
  pair(real.removed, real.added);
  const inCode = [...removed, ...added].filter(({ isCode }) => isCode).flatMap(({ links }) => links);
  const codeTargets = new Set(inCode.map(({ target }) => target).filter((target) => !isTitled(titles, target)));
  return { ...real, titles, codeTargets, isCut };
}
