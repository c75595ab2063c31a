/** Returns the bigrams of letters and digits in a text. */
function bigramsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, " ");
  return new Set(plain.split(" ").flatMap((word) => [...word].map((letter, at) => letter + (word[at + 1] ?? ""))));
}

/** Returns the Sørensen–Dice coefficient of two sets of bigrams, 0 to 1; 0 if it cannot be above `minScore`. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>, minScore: number): number {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  const sum = a.size + b.size || 1;
  if ((2 * fewer.size) / sum <= minScore) return 0;
  let shared = 0;
  for (const pair of fewer) if (more.has(pair)) shared += 1;
  return (2 * shared) / sum;
}

type Bounds<T> = { limit: number; minScore?: number; isWanted?: (item: T) => boolean };

/** Returns a function that finds similar items as `findSimilar` does, for many names: the texts are read once. */
export function similarFinder<T>(items: readonly T[], textsOf: (item: T) => readonly string[]) {
  const read = items.map((item) => ({ item, texts: textsOf(item).map(bigramsOf) }));
  return (name: string, { limit, minScore = 0, isWanted = () => true }: Bounds<T>): T[] => {
    const wanted = bigramsOf(name);
    return read
      .filter(({ item }) => isWanted(item))
      .map(({ item, texts }) => ({ item, score: Math.max(...texts.map((text) => similarity(wanted, text, minScore))) }))
      .filter(({ score }) => score > minScore)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ item }) => item);
  };
}

/** Returns at most `limit` items of which a text is similar to a name, most similar first; `minScore` is from 0 to 1. */
export function findSimilar<T>(
  items: readonly T[],
  name: string,
  { textsOf, ...bounds }: Bounds<T> & { textsOf: (item: T) => readonly string[] },
): T[] {
  return similarFinder(items, textsOf)(name, bounds);
}
