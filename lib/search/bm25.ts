/** Saturation of repeated terms and weight of document length (Robertson and Zaragoza, 2009). */
const k1 = 1.2;
const b = 0.75;

/** A document as the ranking sees it: how often each term stands in it, and how many terms it has. */
export type TermCounts = { counts: ReadonlyMap<string, number>; length: number };

export function countTerms(tokens: readonly string[]): TermCounts {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return { counts, length: tokens.length };
}

function inverseFrequency(documents: readonly TermCounts[], term: string): number {
  const holding = documents.filter(({ counts }) => counts.has(term)).length;
  return Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
}

/** The BM25 score of each document for a query, in the documents' order. Repeated query terms weigh more. */
export function scoreBm25(query: readonly string[], documents: readonly TermCounts[]): number[] {
  const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const scores = new Array<number>(documents.length).fill(0);
  for (const [term, weight] of countTerms(query).counts) {
    const idf = inverseFrequency(documents, term);
    for (const [index, { counts, length }] of documents.entries()) {
      const frequency = counts.get(term) ?? 0;
      if (frequency === 0) continue;
      const norm = k1 * (1 - b + (b * length) / Math.max(1, averageLength));
      scores[index] = (scores[index] ?? 0) + weight * idf * ((frequency * (k1 + 1)) / (frequency + norm));
    }
  }
  return scores;
}
