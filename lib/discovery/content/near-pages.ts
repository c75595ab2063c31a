import type { Page } from "./load-pages";

/** Most pages that are proposed in the place of one that is not there. */
const maxNearCount = 3;

/** Pairs of neighbouring letters and digits: what is left of a word with a typo in it. */
function pairsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, " ");
  return new Set(plain.split(" ").flatMap((word) => [...word].map((letter, at) => letter + (word[at + 1] ?? ""))));
}

/** Dice's coefficient of the pairs, 0 to 1. */
function likeness(a: Set<string>, b: Set<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size || 1);
}

/** The pages whose slug or title is most like a name, the likest first. */
export function nearPages(pages: readonly Page[], name: string): Page[] {
  const wanted = pairsOf(name);
  const scoreOf = ({ slug, title }: Page) =>
    Math.max(likeness(wanted, pairsOf(slug)), likeness(wanted, pairsOf(title)));
  const scored = pages.map((page) => ({ page, score: scoreOf(page) })).filter(({ score }) => score > 0);
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, maxNearCount)
    .map(({ page }) => page);
}
