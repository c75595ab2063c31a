import type { Change } from "../analysis";
import { compareLinks, isRestructure, type LinkChanges } from "./compare-links";
import { compareSections, type SectionChanges } from "./compare-sections";
import { type Outline, outlineOf } from "./outline";
import { plainOf } from "./plain-text";
import { type ReadLine, type ReadLines, readLines } from "./read-lines";
import { readSignals, type Signal } from "./signals";

/** Everything that the rules know about a change. */
export type Facts = {
  outline: Outline;
  sections: SectionChanges;
  lines: ReadLines;
  links: LinkChanges;
  signals: Signal[];
  isRestructure: boolean;
  /** Whether the content is equal except for formatting and order. */
  isSameContent: boolean;
  /** Lines whose words differ from those of the line that they replaced. */
  reworded: ReadLine[];
  /** Added and removed lines of prose without links. */
  proseAdded: ReadLine[];
  proseRemoved: ReadLine[];
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

/** Returns the facts about the change between two versions. */
export function readFacts(
  before: string,
  { after, comparison }: Change & { comparison: NonNullable<Change["comparison"]> },
): Facts {
  const [old, now] = [outlineOf(before), outlineOf(after)];
  const lines = readLines(comparison, old, now);
  const isProse = ({ links, partner }: ReadLine) => links.length === 0 && !partner;
  const links = compareLinks(before, comparison, lines);
  const isHeading = ({ text }: ReadLine) => /^ {0,3}#{1,6}\s/.test(text);
  return {
    outline: now,
    sections: compareSections(before, old, after, now),
    lines,
    links,
    signals: readSignals(lines.added),
    isRestructure: isRestructure(links),
    growth: after.length - before.length,
    isSameContent: !lines.isCut && keysOf(lines.removed) === keysOf(lines.added),
    reworded: lines.added.filter((line) => line.partner && !sameWords(line) && !isHeading(line)),
    proseAdded: lines.added.filter((line) => isProse(line) && !isHeading(line)),
    proseRemoved: lines.removed.filter((line) => isProse(line) && !isHeading(line)),
  };
}
