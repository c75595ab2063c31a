import { termsOf, tokenize } from "./terms";

/** Fewest words of a query, without stopwords, that gets feedback: a short one says what it means. */
const minWordCount = 8;
/** How many of the best documents are read, and how much of each, in UTF-16 units. */
const documentCount = 5;
const maxTextLength = 4_000;
const addedTermCount = 20;
/** Weight of the added terms together, relative to those of the query. */
const addedShare = 0.5;

type Best = { text: string; score: number };

type Ranking = {
  /** Returns the best documents for weighted terms. */
  rank: (terms: ReadonlyMap<string, number>, limit: number) => Best[];
  inverseFrequency: (term: string) => number;
};

/**
 * Returns the weighted terms of a query with those that stand out in the documents that it finds, which are likely to be about
 * the same: pseudo-relevance feedback (RM3; Abdul-Jaleel and others, 2004). A short query stays as it is.
 */
export function addFeedback(q: string, terms: Map<string, number>, { rank, inverseFrequency }: Ranking) {
  if (tokenize(q).length < minWordCount) return terms;
  const best = rank(terms, documentCount);
  const relevance = new Map<string, number>();
  for (const { text, score } of best) {
    const words = termsOf(text.slice(0, maxTextLength));
    const share = score / words.length;
    for (const term of words) relevance.set(term, (relevance.get(term) ?? 0) + share * inverseFrequency(term));
  }
  const added = [...relevance].sort(([, a], [, b]) => b - a).slice(0, addedTermCount);
  const sum = (weights: Iterable<number>) => [...weights].reduce((total, weight) => total + weight, 0);
  const factor = (addedShare * sum(terms.values())) / sum(added.map(([, weight]) => weight));
  const all = new Map(terms);
  for (const [term, weight] of added) all.set(term, (all.get(term) ?? 0) + factor * weight);
  return all;
}
