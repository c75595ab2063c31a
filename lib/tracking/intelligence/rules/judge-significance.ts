import type { Analysis } from "../analysis";
import type { Facts } from "./read-facts";
import type { Signal } from "./signals";
import type { SignalKind } from "./wording";

type Significance = Analysis["significance"];

/** Added and removed links up to which a change is small, and up to which it is medium. */
const [fewLinkCount, someLinkCount] = [2, 10];
/** The same for lines of prose and reworded lines. */
const [fewLineCount, someLineCount] = [10, 50];
/** Lost shares of the older version's links. */
const [notableLostShare, mostLostShare] = [0.1, 0.5];

const majorKinds: readonly SignalKind[] = ["advisory", "deprecation", "breaking", "access", "pricing"];

/** Whether a signal is sufficient for high significance. */
export const isMajor = ({ kind, isMention }: Signal) => !isMention && majorKinds.includes(kind);

function byCount(count: number, few: number, some: number): Significance {
  if (count <= few) return 1;
  return count <= some ? 2 : 3;
}

function judgeLinks({ links, isRestructure }: Facts): Significance {
  const { added, lost, relinked, totalBefore } = links;
  const share = lost.length / Math.max(1, totalBefore);
  if (!isRestructure && share > mostLostShare) return 5;
  if (!isRestructure && share >= notableLostShare) return 4;
  const byNumber = byCount(added.length + (isRestructure ? 0 : lost.length), fewLinkCount, someLinkCount);
  const byRelinking = relinked.length > fewLinkCount ? 2 : 1;
  return Math.max(byNumber, byRelinking) as Significance;
}

function judgeSections({ sections }: Facts): Significance {
  if (sections.removed.some(({ isReal }) => isReal)) return 4;
  if (sections.added.some(({ isReal }) => isReal)) return 3;
  const hasContent = [...sections.removed, ...sections.added].some(({ isEmpty }) => !isEmpty);
  return hasContent || sections.moved.length > 0 ? 2 : 1;
}

/** Returns the significance of a change, by the table in the documentation. */
export function judgeSignificance(facts: Facts): Significance {
  if (facts.isSameContent && facts.sections.moved.length === 0) return 1;
  const prose = byCount(facts.proseAdded.length + facts.proseRemoved.length, fewLineCount, someLineCount);
  const reworded = facts.reworded.length > fewLineCount ? 2 : 1;
  // A diff that is too long to be read is at least a medium change.
  const size = facts.lines.isCut && !facts.isRestructure ? 3 : 1;
  const wording = facts.signals.some(isMajor) ? 4 : 1;
  return Math.max(judgeLinks(facts), judgeSections(facts), prose, reworded, size, wording) as Significance;
}
