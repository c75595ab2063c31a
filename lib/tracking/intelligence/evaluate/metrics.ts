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
