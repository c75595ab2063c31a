import { codePattern, foldCase, shownOf } from "#lib/tracking/wording/index";
import type { Change } from "../../analysis";
import { type Outline, outlineOf } from "../text/outline";
import { type ReadLine, type ReadLines, readLines } from "../text/read-lines";
import { type LineAnnouncement, readAnnouncements } from "./announcements";
import { compareLinks, isIndex, type LinkChanges } from "./compare-links";
import { compareSections, type SectionChanges } from "./compare-sections";
import type { ValueFact } from "./kinds";
import { siblingFinder } from "./requirements";
import { readValues } from "./values";

/** Words of text that only one version has, wherever they are: text that moves or is wrapped in another way does not count. */
type WordCounts = { gained: number; lost: number };

/** A word; of scripts without spaces between words, two letters. */
const word =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{1,2}|[\p{L}\p{N}](?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{N}'_.-])*/gu;
const isHeading = ({ text }: ReadLine) => /^ {0,3}#{1,6}\s/.test(text);

function countWords(added: readonly ReadLine[], removed: readonly ReadLine[]): WordCounts {
  const counts = new Map<string, number>();
  const count = (lines: readonly ReadLine[], step: 1 | -1) => {
    for (const { text } of lines)
      for (const [found] of shownOf(text).toLowerCase().matchAll(word))
        counts.set(found, (counts.get(found) ?? 0) + step);
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

export type Facts = {
  outline: Outline;
  sections: SectionChanges;
  lines: ReadLines;
  links: LinkChanges;
  announcements: LineAnnouncement[];
  values: ValueFact[];
  /** Whether a section is new or lost as a whole. */
  isWhole: (path: string) => boolean;
  isIndex: boolean;
  /** Whether the content is equal except for formatting and order. */
  isSameContent: boolean;
  /** Lines whose words differ from those of the line that they replaced. */
  reworded: ReadLine[];
  /** Added and removed lines that replace no other, other than headings and lists and tables of new or lost links. */
  textAdded: ReadLine[];
  textRemoved: ReadLine[];
  words: WordCounts;
  codeLineCount: number;
};

function keysOf(lines: readonly ReadLine[]): string {
  const keys = lines.map(({ key, isCode }) => (isCode ? key : key.replace(/[.;,]+(?= |$)/g, "")));
  return keys.join(" ").replace(/\s+/g, " ");
}

/** Whether two lines differ in markup alone: also words in code may be the same without that mark. */
function hasSameWords({ text, partner }: ReadLine): boolean {
  if (!partner || foldCase(shownOf(text)) !== foldCase(shownOf(partner.text))) return false;
  const [codes, old] = [text, partner.text].map((line) => line.match(codePattern) ?? []);
  return codes!.length !== old!.length || codes!.join() === old!.join();
}

export function readFacts(
  before: string,
  { after, comparison }: Change & { comparison: NonNullable<Change["comparison"]> },
): Facts {
  const [old, now] = [outlineOf(before), outlineOf(after)];
  const lines = readLines(comparison, old, now);
  const { added, removed, isCut } = lines;
  const links = compareLinks(before, comparison, lines);
  const sections = compareSections(old, now);
  const realPaths = [...sections.added, ...sections.removed].filter(({ isReal }) => isReal).map(({ path }) => path);
  const whole = new Set(realPaths);
  const isWhole = (path: string) => whole.has(path);
  const changedTargets = new Set([...links.added, ...links.relinked, ...links.lost].map(({ target }) => target));
  const isListOfLinks = (line: ReadLine) =>
    line.links.some(({ target }) => changedTargets.has(target) && links.listed.has(target));
  const isText = (line: ReadLine) => !line.partner && !line.isMeta && !isHeading(line) && !isListOfLinks(line);
  const isProse = (line: ReadLine) => !line.isCode && !line.isMeta && !isHeading(line);
  const isIndexed = isIndex(before);
  // New and lost entries of an index are counted as links.
  const isCounted = (line: ReadLine) =>
    isProse(line) && !(isIndexed && !line.partner && line.links.some(({ target }) => links.listed.has(target)));
  const isChanged = (line: ReadLine) => !hasSameWords(line);
  const isChangedCode = (line: ReadLine) => line.isCode && isChanged(line) && !/^\s*(?:`{3}|~{3})/.test(line.text);
  return {
    outline: now,
    sections,
    lines,
    links,
    announcements: readAnnouncements(lines, before),
    values: readValues(lines, { before, after }, { title: now.title, isWhole, hasSibling: siblingFinder(old) }),
    isWhole,
    isIndex: isIndexed,
    isSameContent: !isCut && keysOf(removed) === keysOf(added),
    reworded: added.filter((line) => line.partner && !line.isMeta && isChanged(line) && !isHeading(line)),
    textAdded: added.filter(isText),
    textRemoved: removed.filter(isText),
    words: countWords(added.filter(isCounted), removed.filter(isCounted)),
    codeLineCount: [...added, ...removed].filter(isChangedCode).length,
  };
}
