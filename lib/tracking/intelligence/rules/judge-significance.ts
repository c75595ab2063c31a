import type { Analysis } from "../analysis";
import { answerOf, isBoundless } from "./facts/extract-limits";
import type { Facts } from "./facts/read-facts";
import type { Signal } from "./facts/signals";
import type { ValueFact, ValueKind } from "./facts/value-fact";
import { numberOf } from "./facts/value-facts";
import { planWord } from "./facts/value-subjects";
import { maxReadLineLength } from "./text/plain-text";
import type { SignalKind } from "./text/wording";

type Significance = Analysis["significance"];

/** Added and removed links up to which a change is small, and up to which it is medium. */
export const fewLinkCount = 2;
const someLinkCount = 10;
/** The same for words of text, and for lines of code and reworded lines. */
const [fewWordCount, someWordCount] = [20, 200];
const [fewLineCount, someLineCount] = [10, 50];
/** Lost shares of a list of links. */
const [notableLostShare, mostLostShare] = [0.1, 0.5];
/** Share of a list of links from which a lost subsection counts as a lost section. */
const lostSectionShare = 0.01;
/** Share of the words that a page loses, up to which the words that it gains do not rewrite what it loses. */
const rewrittenShare = 0.25;

const majorKinds: readonly SignalKind[] = ["advisory", "deprecation", "breaking", "access", "pricing"];

/** Whether a signal is sufficient for high significance. */
export const isMajor = ({ kind, isMention }: Signal) => !isMention && majorKinds.includes(kind);

function byCount(count: number, few: number, some: number): Significance {
  if (count <= few) return 1;
  return count <= some ? 2 : 3;
}

function judgeLinks({ links, isRestructure, isIndex }: Facts): Significance {
  const { added, lost, relinked, anchored, totalBefore } = links;
  const share = isIndex && totalBefore > 0 ? lost.length / totalBefore : 0;
  if (!isRestructure && share > mostLostShare) return 5;
  if (!isRestructure && share >= notableLostShare) return 4;
  const byNumber = byCount(added.length + (isRestructure ? 0 : lost.length), fewLinkCount, someLinkCount);
  const byRelinking = relinked.length + anchored.length > fewLinkCount ? 2 : 1;
  return Math.max(byNumber, byRelinking) as Significance;
}

function judgeSections({ sections, beforeLength, isIndex, words }: Facts): Significance {
  const lost = sections.removed.filter(({ isReal }) => isReal);
  // A section of a page can be rewritten under another name.
  const isHeavy = ({ path, length }: { path: string; length: number }) =>
    isIndex
      ? !path.includes(" > ") || length >= lostSectionShare * beforeLength
      : words.lost - words.gained > someWordCount || words.gained <= rewrittenShare * words.lost;
  if (lost.some(isHeavy)) return 4;
  if (lost.length > 0 || sections.added.some(({ isReal }) => isReal)) return 3;
  const hasContent = [...sections.removed, ...sections.added].some(({ isEmpty }) => !isEmpty);
  return hasContent || sections.moved.length > 0 ? 2 : 1;
}

/** Significance of each kind of value; of an endpoint, parameter or entry that is gone. */
const valueSignificance: Record<ValueKind, Significance> = {
  price: 4,
  limit: 2,
  endpoint: 2,
  parameter: 2,
  field: 2,
  entry: 2,
  call: 3,
  package: 3,
  version: 3,
  model: 2,
  end: 4,
};
const goneSignificance = 3;
/** Significance of code that needs both another package and other calls. */
const movedClientSignificance = 4;
/** Significance of a renamed endpoint of a reference. */
const documentedSignificance = 4;

/** Significance of a plan that contains less than before, for the same price. */
const reducedPlanSignificance = 4;

function isReducedPlan({ kind, line, isPlan, old, now }: ValueFact): boolean {
  if (kind !== "limit" || !(isPlan || planWord.test(line.text.slice(0, maxReadLineLength)))) return false;
  if (answerOf(old) === true && answerOf(now) === false) return true;
  const after = numberOf(now);
  return after !== undefined && after < (numberOf(old) ?? (isBoundless(old) ? Number.POSITIVE_INFINITY : after));
}

const majorOf = (version: string) => /\d+/.exec(version)?.[0];
export const isSameMajor = ({ old, now }: ValueFact) => majorOf(old) === majorOf(now);

function judgeValues({ values }: Facts): Significance {
  const grades = values.map((value) => {
    const { kind, now, isDocumented } = value;
    if (isDocumented) return documentedSignificance;
    if (isReducedPlan(value)) return reducedPlanSignificance;
    if (kind === "version" && isSameMajor(value)) return 1;
    return now === "" && kind !== "price" && kind !== "field" ? goneSignificance : valueSignificance[kind];
  });
  const has = (kind: ValueKind) => values.some((value) => value.kind === kind);
  const moved = has("package") && has("call") ? movedClientSignificance : 1;
  return Math.max(moved, ...grades) as Significance;
}

/** Significance of signals that are not major. */
const signalSignificance: Partial<Record<SignalKind, Significance>> = {
  launch: 3,
  available: 3,
  unavailable: 3,
  opened: 3,
  effective: 3,
};

function judgeWording({ signals, isAdvisory }: Facts): Significance {
  if (signals.some(isMajor)) return 4;
  const grades = signals.map(({ kind, isMention }) => (isMention ? 1 : (signalSignificance[kind] ?? 1)));
  return Math.max(isAdvisory ? 3 : 1, ...grades) as Significance;
}

/** Returns the significance of a change, by the table in the documentation. */
export function judgeSignificance(facts: Facts): Significance {
  if (facts.isSameContent && facts.sections.moved.length === 0) return 1;
  const { gained, lost } = facts.words;
  const prose = byCount(gained + lost, fewWordCount, someWordCount);
  const codeLines = [...facts.proseAdded, ...facts.proseRemoved].filter(({ isCode }) => isCode);
  const code = Math.max(facts.examples.length > 0 ? 2 : 1, byCount(codeLines.length, fewLineCount, someLineCount));
  const reworded = facts.reworded.length > fewLineCount ? 2 : 1;
  const bounds = facts.bounds.length > 0 ? 2 : 1;
  // A diff that is too long to be read is at least a medium change.
  const size = facts.lines.isCut && !facts.isRestructure ? 3 : 1;
  return Math.max(
    judgeLinks(facts),
    judgeSections(facts),
    judgeValues(facts),
    prose,
    code,
    reworded,
    bounds,
    size,
    judgeWording(facts),
  ) as Significance;
}
