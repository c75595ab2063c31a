/** Returns the bigrams of letters and digits in a text. */
function bigramsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, " ");
  return new Set(plain.split(" ").flatMap((word) => [...word].map((letter, at) => letter + (word[at + 1] ?? ""))));
}

/** Returns the Sørensen–Dice coefficient of two sets of bigrams, 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared += 1;
  return (2 * shared) / (a.size + b.size || 1);
}

/** Returns at most `limit` items of which a text is similar to a name, most similar first; `minScore` is from 0 to 1. */
export function findSimilar<T>(
  items: readonly T[],
  name: string,
  { textsOf, limit, minScore = 0 }: { textsOf: (item: T) => readonly string[]; limit: number; minScore?: number },
): T[] {
  const wanted = bigramsOf(name);
  const scoreOf = (item: T) => Math.max(...textsOf(item).map((text) => similarity(wanted, bigramsOf(text))));
  return items
    .map((item) => ({ item, score: scoreOf(item) }))
    .filter(({ score }) => score > minScore)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ item }) => item);
}
