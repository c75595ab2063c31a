import { compareTexts } from "#lib/tracking/diffs/index";
import { scoreSecurity } from "#lib/tracking/snapshots/index";
import { type Analysis, type Change, type IntelligenceCategory, intelligenceCategories } from "../analysis";
import type { LabelledChange } from "./labelled-set";
import { quadraticWeightedKappa, type Score, scoreOf } from "./metrics";

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
