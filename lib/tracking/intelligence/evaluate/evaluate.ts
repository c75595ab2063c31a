import { compareTexts } from "#lib/tracking/diffs/index";
import { scoreSecurity } from "#lib/tracking/snapshots/index";
import { type Analysis, type Change, type IntelligenceCategory, intelligenceCategories } from "../analysis";
import type { LabelledChange } from "./labelled-set";

/** What was found among what there is. */
export type Score = {
  precision: number;
  recall: number;
  f1: number;
  truePositives: number;
  found: number;
  labelled: number;
};

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

/** A share without cases is 0. */
export function scoreOf(truePositives: number, found: number, labelled: number): Score {
  const [precision, recall] = [ratio(truePositives, found), ratio(truePositives, labelled)];
  return { precision, recall, f1: ratio(2 * truePositives, found + labelled), truePositives, found, labelled };
}

/**
 * Agreement of two judges on a scale of whole numbers beyond chance, disagreements weighed by their square (Cohen,
 * "Weighted kappa", 1968): 1 for the same judgements, 0 for chance. 1 where both always say one and the same.
 */
export function quadraticWeightedKappa(pairs: readonly (readonly [number, number])[]): number {
  const weight = (a: number, b: number) => (a - b) ** 2;
  let [observed, expected] = [0, 0];
  for (const [a, b] of pairs) {
    observed += weight(a, b);
    for (const [, other] of pairs) expected += weight(a, other) / pairs.length;
  }
  return expected === 0 ? 1 : 1 - observed / expected;
}

/** From this significance on subscribers are told. */
const highSignificance = 4;

export type Verdict = LabelledChange & { analysis: Analysis };

export type Evaluation = {
  changes: number;
  /** Quadratic weighted, of the significance. */
  kappa: number;
  /** Share of changes whose significance is the labelled one. */
  sameSignificance: number;
  /** Of changes whose significance is 4 or 5. */
  high: Score;
  categories: Record<IntelligenceCategory, Score>;
  /** Of all categories of all changes together. */
  micro: Score;
  verdicts: Verdict[];
};

/** A labelled change as an analyser is given it; the security score is that of the text. */
function changeOf({ before, after }: LabelledChange): Change {
  const [name, domain] = ["Labelled", "labelled.example"];
  const comparison = before === null ? null : compareTexts(before, after);
  return { before, after, name, domain, comparison, securityScore: scoreSecurity(after, { domain }).score };
}

function scoreWhere(
  verdicts: readonly Verdict[],
  isLabelled: (verdict: Verdict) => boolean,
  isFound: (verdict: Verdict) => boolean,
): Score {
  const labelled = verdicts.filter(isLabelled);
  return scoreOf(labelled.filter(isFound).length, verdicts.filter(isFound).length, labelled.length);
}

/** Analyses labelled changes, and tells how far the analyser agrees with the labels. */
export function evaluate(changes: readonly LabelledChange[], analyse: (change: Change) => Analysis): Evaluation {
  const verdicts = changes.map((change) => ({ ...change, analysis: analyse(changeOf(change)) }));
  const scores = intelligenceCategories.map((category): [IntelligenceCategory, Score] => [
    category,
    scoreWhere(
      verdicts,
      ({ categories }) => categories.includes(category),
      ({ analysis }) => analysis.categories.includes(category),
    ),
  ]);
  const sum = (key: "truePositives" | "found" | "labelled") =>
    scores.reduce((total, [, score]) => total + score[key], 0);
  const pairs = verdicts.map(({ significance, analysis }) => [significance, analysis.significance] as const);
  return {
    changes: verdicts.length,
    kappa: quadraticWeightedKappa(pairs),
    sameSignificance: pairs.filter(([a, b]) => a === b).length / Math.max(1, pairs.length),
    high: scoreWhere(
      verdicts,
      ({ significance }) => significance >= highSignificance,
      ({ analysis }) => analysis.significance >= highSignificance,
    ),
    categories: Object.fromEntries(scores) as Evaluation["categories"],
    micro: scoreOf(sum("truePositives"), sum("found"), sum("labelled")),
    verdicts,
  };
}
