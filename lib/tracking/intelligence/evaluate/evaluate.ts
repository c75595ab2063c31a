import { compareTexts } from "#lib/tracking/diffs/index";
import { scoreSecurity } from "#lib/tracking/snapshots/index";
import {
  type Analysis,
  type Change,
  type IntelligenceCategory,
  intelligenceCategories,
  minHighSignificance,
} from "../analysis";
import type { LabelledChange } from "./labelled-set";

/** Precision and recall, and the counts behind them. */
type Score = { precision: number; recall: number; f1: number; truePositives: number; found: number; labelled: number };

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

/** Returns the score for the given counts. A ratio with a denominator of 0 is 0. */
export function scoreOf(truePositives: number, found: number, labelled: number): Score {
  const [precision, recall] = [ratio(truePositives, found), ratio(truePositives, labelled)];
  return { precision, recall, f1: ratio(2 * truePositives, found + labelled), truePositives, found, labelled };
}

/**
 * Returns the agreement of two raters on an integer scale beyond chance, with disagreements weighted by their square
 * (Cohen, "Weighted kappa", 1968): 1 for identical ratings, 0 for chance; 1 if all ratings are the same.
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

export type Verdict = LabelledChange & { analysis: Analysis };

export type Evaluation = {
  changes: number;
  /** Quadratic weighted kappa of the significance. */
  kappa: number;
  /** Share of changes with the labelled significance. */
  sameSignificance: number;
  /** For changes of high significance. */
  high: Score;
  categories: Record<IntelligenceCategory, Score>;
  /** Micro-average over all categories. */
  micro: Score;
  verdicts: Verdict[];
};

/** Returns a labelled change in the form that analysers receive. */
function changeOf({ before, after }: LabelledChange): Change {
  const [name, domain] = ["Labelled", "labelled.example"];
  const comparison = before === null ? null : compareTexts(before, after);
  const scoreOf = (text: string) => scoreSecurity(text, { domain }).score;
  const scores = { securityScore: scoreOf(after), previousSecurityScore: before === null ? 0 : scoreOf(before) };
  return { before, after, name, domain, comparison, ...scores };
}

function scoreWhere(
  verdicts: readonly Verdict[],
  isLabelled: (verdict: Verdict) => boolean,
  isFound: (verdict: Verdict) => boolean,
): Score {
  const labelled = verdicts.filter(isLabelled);
  return scoreOf(labelled.filter(isFound).length, verdicts.filter(isFound).length, labelled.length);
}

/** Analyses labelled changes and returns how well the analyser agrees with the labels. */
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
      ({ significance }) => significance >= minHighSignificance,
      ({ analysis }) => analysis.significance >= minHighSignificance,
    ),
    categories: Object.fromEntries(scores) as Evaluation["categories"],
    micro: scoreOf(sum("truePositives"), sum("found"), sum("labelled")),
    verdicts,
  };
}
