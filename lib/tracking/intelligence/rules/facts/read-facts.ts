import type { Change } from "../../analysis";
import { type Outline, outlineOf } from "../text/outline";
import { maxReadLineLength, plainOf, shownOf } from "../text/plain-text";
import { type ReadLine, type ReadLines, readLines } from "../text/read-lines";
import { isSpelling } from "../text/word-changes";
import { readAvailability } from "./availability";
import { compareLinks, isIndex, isRestructure, type LinkChanges } from "./compare-links";
import { compareSections, type SectionChanges } from "./compare-sections";
import { type Example, readExamples } from "./extract-code";
import { readRenamedEndpoints, withoutRepeatedRenames } from "./extract-endpoints";
import { readSignals, type Signal } from "./signals";
import type { ValueFact } from "./value-fact";
import { readValues } from "./value-facts";

/** Words that only one version has, wherever they are: text that moves or is wrapped in another way does not count. */
type WordCounts = { gained: number; lost: number };

const word = /[\p{L}\p{N}][\p{L}\p{N}'_.-]*/gu;
/** Headings, and entries of lists that begin with a link. */
const noText = /^ {0,3}#{1,6}\s|^\s*(?:[-*+]|\d{1,3}[.)])?\s*\[/;

const isText = ({ text, isCode, isMeta }: ReadLine) => !isCode && !isMeta && !noText.test(text);

/** Counts the words of the lines of text that a change adds and removes. */
function countWords({ removed, added }: ReadLines): WordCounts {
  const counts = new Map<string, number>();
  const count = (lines: readonly ReadLine[], step: 1 | -1) => {
    for (const { text } of lines.filter(isText)) {
      for (const [found] of shownOf(text).toLowerCase().matchAll(word))
        counts.set(found, (counts.get(found) ?? 0) + step);
    }
  };
  count(added, 1);
  count(removed, -1);
  const words = { gained: 0, lost: 0 };
  for (const balance of counts.values()) {
    if (balance > 0) words.gained += balance;
    else words.lost -= balance;
  }
  return words;
}

const amount = "(?<![\\w.])(?:\\d[\\d.,]*|two|three|four|five|six|seven|eight|nine|ten)\\b";
const introduction =
  "(?:up to|at (?:most|least)|limited to|max(?:imum)?(?: of| is)?|min(?:imum)?(?: of| is)?|(?:no |not )more than|(?:not|cannot) exceed|within|limits? (?:of|is|are|to)|(?:by )?defaults?(?: to| is)?)";
/** A limit or default with its number: `up to 50`, `limited to 10`, `length limits (2048`. */
const statement = new RegExp(`\\b${introduction}\\b[^.;]{0,30}?${amount}|\\blimits?\\b[^.;]{0,20}\\(\\d`, "i");

/** Most changed lines that are read for bounds: more are new content. */
const maxLineCount = 10;

/** Returns the added lines of text that state a limit or a default in a section that existed, where their older line stated none. */
function readBounds({ added }: ReadLines, isWhole: (path: string) => boolean): ReadLine[] {
  if (added.length > maxLineCount) return [];
  const states = ({ text }: ReadLine) => statement.test(shownOf(text.slice(0, maxReadLineLength)));
  return added.filter((line) => {
    const { isCode, isMeta, path, partner } = line;
    return !isCode && !isMeta && !isWhole(path) && states(line) && !(partner && states(partner));
  });
}

/** Everything that the rules know about a change. */
export type Facts = {
  outline: Outline;
  sections: SectionChanges;
  lines: ReadLines;
  links: LinkChanges;
  signals: Signal[];
  /** Prices, limits, endpoints and parameters that changed. */
  values: ValueFact[];
  /** New statements of limits and defaults, in a change of a few lines. */
  bounds: ReadLine[];
  /** New examples in sections that both versions have. */
  examples: Example[];
  isRestructure: boolean;
  /** Added lines of text, other than lists and tables of new links; those of `proseAdded` and more. */
  textAdded: ReadLine[];
  /** The same of removed lines. */
  textRemoved: ReadLine[];
  /** Whether the older version is mostly a list of links. */
  isIndex: boolean;
  /** Whether the content is equal except for formatting and order. */
  isSameContent: boolean;
  /** Lines whose words differ from those of the line that they replaced. */
  reworded: ReadLine[];
  /** Added and removed lines of prose without links. */
  proseAdded: ReadLine[];
  proseRemoved: ReadLine[];
  /** Words of text that only one version has. */
  words: WordCounts;
  /** Whether text of a page or section of security advisories changed. */
  isAdvisory: boolean;
  /** Names of the changed entries of the front matter. */
  metadata: string[];
  /** Length of the older text, in UTF-16 code units. */
  beforeLength: number;
  /** Growth of the text in UTF-16 code units. */
  growth: number;
};

const keysOf = (lines: readonly ReadLine[]) =>
  lines
    .map(({ key }) => key)
    .join(" ")
    .replace(/[.;,]+(?= |$)/g, "")
    .replace(/\s+/g, " ");

/** Whether a line with links has the same words as its partner, though perhaps other URLs. */
const sameWords = (line: ReadLine) =>
  line.partner !== undefined &&
  plainOf(line.text).toLowerCase() === plainOf(line.partner.text).toLowerCase() &&
  line.links.length > 0;

/** Returns the names of the entries of front matter that lines belong to, at most ten. */
function metadataOf(lines: readonly ReadLine[]): string[] {
  const names = lines.flatMap(({ isMeta, text }) => (isMeta ? (/^([\w-]{1,40}):/.exec(text)?.[1] ?? []) : []));
  return [...new Set(names)].slice(0, 10);
}

const advisoryName = /\bsecurity (?:advisor(?:y|ies)|bulletins?|incidents?)\b/i;

/** Returns the facts about the change between two versions. */
export function readFacts(
  before: string,
  { after, comparison }: Change & { comparison: NonNullable<Change["comparison"]> },
): Facts {
  const [old, now] = [outlineOf(before), outlineOf(after)];
  const lines = readLines(comparison, old, now);
  const isProse = ({ links, partner, isMeta }: ReadLine) => links.length === 0 && !partner && !isMeta;
  const links = compareLinks(before, comparison, lines);
  const sections = compareSections(before, old, after, now);
  const gonePaths = new Set(sections.removed.filter(({ isReal }) => isReal).map(({ path }) => path));
  const newPaths = new Set(sections.added.filter(({ isReal }) => isReal).map(({ path }) => path));
  const newTargets = new Set([...links.added, ...links.relinked].map(({ target }) => target));
  const goneTargets = new Set(links.lost.map(({ target }) => target));
  const isText = (line: ReadLine, targets: ReadonlySet<string>) =>
    !line.partner &&
    !line.isMeta &&
    !isHeading(line) &&
    !line.links.some(({ target }) => targets.has(target) && !links.inSentences.has(target));
  const isWhole = (path: string) => newPaths.has(path) || gonePaths.has(path);
  const isHeading = ({ text }: ReadLine) => /^ {0,3}#{1,6}\s/.test(text);
  return {
    outline: now,
    sections,
    lines,
    links,
    signals: [...readSignals(lines.added), ...readAvailability(lines, (path) => gonePaths.has(path))],
    values: withoutRepeatedRenames([
      ...readRenamedEndpoints(sections.renamed, lines.added),
      ...readValues(lines, { before, after, title: now.title, isWhole }),
    ]),
    bounds: readBounds(lines, isWhole),
    examples: readExamples(lines.added, (path) => newPaths.has(path)),
    isAdvisory: lines.added.some(
      (line) =>
        !line.isMeta &&
        !line.isCode &&
        line.links.length === 0 &&
        advisoryName.test(`${now.title} ${line.path}`) &&
        !(line.partner && isSpelling(line.partner.text, line.text)),
    ),
    words: countWords(lines),
    isRestructure: isRestructure(links),
    isIndex: isIndex(before),
    beforeLength: before.length,
    growth: after.length - before.length,
    isSameContent: !lines.isCut && keysOf(lines.removed) === keysOf(lines.added),
    reworded: lines.added.filter((line) => line.partner && !line.isMeta && !sameWords(line) && !isHeading(line)),
    proseAdded: lines.added.filter((line) => isProse(line) && !isHeading(line)),
    proseRemoved: lines.removed.filter((line) => isProse(line) && !isHeading(line)),
    textAdded: lines.added.filter((line) => isText(line, newTargets)),
    textRemoved: lines.removed.filter((line) => isText(line, goneTargets)),
    metadata: metadataOf([...lines.added, ...lines.removed]),
  };
}
