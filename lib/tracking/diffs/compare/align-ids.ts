import { alignRoughly } from "./align-roughly";
import { divide, type Marks, wholeOf } from "./divide";
import { MiddleFinder } from "./find-middle";
import { countPairs, type Matches, matchByPairs } from "./match-pairs";

/** Marks, and whether no fewer would do. */
export type Alignment = Marks & { exact: boolean };

/**
 * The most work that an alignment may be, counted and not timed, so that its result is the same on a busy machine:
 * steps of a search that suits versions of one text, pairs of equal elements, steps of each search beyond that, and pairs
 * of rare elements.
 */
export type AlignEffort = { firstSteps: number; pairs: number; steps: number; anchorPairs: number };

const fullEffort: AlignEffort = {
  ...{ firstSteps: 4_000_000, pairs: 6_000_000 },
  ...{ steps: 32_000_000, anchorPairs: 2_000_000 },
};

/** What each element costs by the mere passing over it, in steps. */
const stepsPerElement = 10;
/** The exact marks, if they take no more than about `maxSteps`. */
function divideExactly(before: Int32Array, after: Int32Array, maxSteps: number): Marks | undefined {
  if (maxSteps <= 0) return undefined;
  const finder = new MiddleFinder(before, after);
  return divide(before, after, [wholeOf(before, after)], (box) => {
    const middle = finder.find(box, maxSteps - finder.steps);
    return middle.isCut ? undefined : middle;
  });
}

function marksOf(before: Int32Array, after: Int32Array, matches: Matches): Marks {
  const removed = new Uint8Array(before.length).fill(1);
  const added = new Uint8Array(after.length).fill(1);
  for (const at of matches.before) removed[at] = 0;
  for (const at of matches.after) added[at] = 0;
  return { removed, added };
}

/**
 * A longest common subsequence of two sequences of small numbers, as the marks of what is not in it. Where that would
 * be too much work it is a shorter one, and `exact` is false.
 */
export function alignIds(before: Int32Array, after: Int32Array, effort: AlignEffort = fullEffort): Alignment {
  const first = divideExactly(before, after, effort.firstSteps);
  if (first) return { ...first, exact: true };

  const idCount = after.reduce((most, id) => Math.max(most, id + 1), 0);
  const pairs = countPairs(before, after, idCount);
  if (pairs.reduce((sum, count) => sum + count, 0) <= effort.pairs) {
    const matches = matchByPairs(before, after, new Uint8Array(idCount).fill(1));
    return { ...marksOf(before, after, matches), exact: true };
  }

  const elementCount = before.length + after.length;
  const second = divideExactly(before, after, effort.steps - stepsPerElement * elementCount);
  if (second) return { ...second, exact: true };

  return { ...alignRoughly(before, after, pairs, effort), exact: false };
}
