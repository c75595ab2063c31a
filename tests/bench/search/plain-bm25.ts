/** The usual saturation, and the length weight. */
const usualK1 = 1.2;
const b = 0.75;

export type PlainScore = { id: string; score: number };

function counted(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Computes BM25 by its formula over every document, for comparison. Returns the best first, ties by id. */
export function scorePlainly(
  documents: ReadonlyMap<string, readonly string[]>,
  query: readonly string[],
  k1 = usualK1,
): PlainScore[] {
  const all = [...documents].map(([id, terms]) => ({ id, counts: counted(terms), length: terms.length }));
  const averageLength = Math.max(1, all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length));
  const weights = [...counted(query)].map(([term, weight]) => {
    const holders = all.filter(({ counts }) => counts.has(term)).length;
    return { term, weight: weight * Math.log(1 + (all.length - holders + 0.5) / (holders + 0.5)) };
  });
  const scored = all.map(({ id, counts, length }) => {
    const norm = k1 * (1 - b + (b * length) / averageLength);
    const score = weights.reduce((sum, { term, weight }) => {
      const frequency = counts.get(term) ?? 0;
      return sum + (weight * frequency * (k1 + 1)) / (frequency + norm);
    }, 0);
    return { id, score };
  });
  return scored.filter(({ score }) => score > 0).sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1));
}
