import { type Announcement, judgeAnnouncement, type Significance } from "#lib/tracking/wording/index";
import { type ValueFact, valueKinds } from "./facts/kinds";
import { answerOf, numberOf } from "./facts/limits";
import type { Facts } from "./facts/read-facts";

const [fewLinkCount, someLinkCount] = [1, 10];
const [fewWordCount, someWordCount] = [20, 150];
const [fewLineCount, someLineCount] = [6, 60];
const [notableLostShare, mostLostShare] = [0.1, 0.5];
const minSectionWordCount = 60;

export const isMajor = (announcement: Announcement) => judgeAnnouncement(announcement) >= 4;

/** Whether a plan has less, or a maximum falls to less than half. */
function isReduced({ isPlan, isMaximum, old, now }: ValueFact): boolean {
  const [from, to] = [numberOf(old), numberOf(now)];
  if (isMaximum && from !== undefined && to !== undefined && to < from / 2) return true;
  if (!isPlan) return false;
  return from !== undefined && to !== undefined ? to < from : answerOf(old) === true && answerOf(now) === false;
}

function judgeValue(value: ValueFact): Significance {
  if (value.kind === "end" && Date.parse(value.now) < Date.parse(value.old)) return 5;
  if (value.isBreaking || isReduced(value)) return 4;
  // A model that replaces none is news.
  if (value.kind === "model" && value.old === "" && !value.line.isCode) return 3;
  return valueKinds[value.kind][value.now === "" ? "gone" : "changed"];
}

function byCount(count: number, few: number, some: number): Significance {
  if (count <= few) return 1;
  return count <= some ? 2 : 3;
}

function judgeLinks({ links, isIndex }: Facts): Significance {
  const { added, lost, relinked, listed, totalBefore, isRestructure } = links;
  const isLoss = isIndex && totalBefore > 0 && !isRestructure;
  if (isLoss && lost.length > mostLostShare * totalBefore) return 5;
  if (isLoss && lost.length - added.length >= notableLostShare * totalBefore) return 4;
  const counted = [...added, ...(isRestructure ? [] : lost)].filter(({ target }) => isIndex || listed.has(target));
  const byNumber = byCount(counted.length, isIndex ? fewLinkCount : 2 * fewLinkCount, someLinkCount);
  if (!isIndex) return byNumber;
  return Math.max(byNumber, relinked.length > 2 * fewLinkCount ? 2 : 1) as Significance;
}

/** A lost section is 4 in a list of links only: a page is often rewritten. */
function judgeSections({ sections, isIndex, words }: Facts): Significance {
  const lost = sections.removed.filter(({ isReal }) => isReal);
  if (isIndex && lost.some(({ path }) => !path.includes(" > "))) return 4;
  const weighs = ({ isReal, wordCount }: { isReal: boolean; wordCount: number }) =>
    isReal && (isIndex || wordCount >= minSectionWordCount);
  if (sections.added.some(weighs) && (isIndex || words.gained >= minSectionWordCount)) return 3;
  if (lost.length > 1 && lost.some(weighs)) return 3;
  const changed = [...sections.removed, ...sections.added].some(({ isEmpty }) => !isEmpty);
  return changed || sections.moved.length > 0 ? 2 : 1;
}

export function judgeSignificance(facts: Facts): Significance {
  const { announcements, values, words, codeLineCount, lines, links, isSameContent } = facts;
  if (isSameContent) return facts.sections.moved.length > 0 ? 2 : 1;
  return Math.max(
    judgeLinks(facts),
    judgeSections(facts),
    byCount(words.gained + words.lost, fewWordCount, someWordCount),
    byCount(codeLineCount, fewLineCount, someLineCount),
    // A diff that is too long to be read is at least a medium change.
    lines.isCut && !links.isRestructure ? 3 : 1,
    ...values.map(judgeValue),
    ...announcements.map(judgeAnnouncement),
  ) as Significance;
}
