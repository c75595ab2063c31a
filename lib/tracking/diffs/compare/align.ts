import { type Box, divide, type Marks, MiddleFinder, wholeOf } from "./divide";
import { countPairs, type Matches, matchByPairs } from "./match-pairs";

/** How far ahead the nearest pair is looked for: places of both sides together. */
const maxDistance = 32;

/**
 * Marks what the box loses where each difference is passed by the nearest pair of equal elements ahead: far from the
 * best where much is different, but in time in proportion to the box.
 */
function alignGreedily(before: Int32Array, after: Int32Array, box: Box, { removed, added }: Marks): void {
  const { end, afterEnd } = box;
  let [at, afterAt] = [box.start, box.afterStart];
  let [next, afterNext] = [at, afterAt];
  const findNext = () => {
    for (let distance = 0; distance < maxDistance; distance++) {
      afterNext = afterAt + distance;
      for (next = at; next <= at + distance; next++) {
        if (before[next] === after[afterNext]) return;
        afterNext--;
      }
    }
    [next, afterNext] = [at + maxDistance / 2, afterAt + maxDistance / 2];
  };
  while (at < end && afterAt < afterEnd) {
    findNext();
    for (next = Math.min(next, end); at < next; at++) removed[at] = 1;
    for (afterNext = Math.min(afterNext, afterEnd); afterAt < afterNext; afterAt++) added[afterAt] = 1;
    while (at < end && afterAt < afterEnd && before[at] === after[afterAt]) {
      at++;
      afterAt++;
    }
  }
  for (; at < end; at++) removed[at] = 1;
  for (; afterAt < afterEnd; afterAt++) added[afterAt] = 1;
}

/** Edits after which a box is cut: as many as the steps allow for, but beyond a few hundred little more is found. */
const minCutCost = 16;
const maxCutCost = 512;

function countMarks(marks: Uint8Array): number {
  let count = 0;
  for (const mark of marks) count += mark;
  return count;
}

/** What lies between the matches; these themselves are at the boxes' starts. */
function boxesBetween(before: Int32Array, after: Int32Array, matches: Matches): Box[] {
  const boxes: Box[] = [];
  const box = wholeOf(before, after);
  for (let match = 0; match < matches.before.length; match++) {
    const [at, afterAt] = [matches.before[match]!, matches.after[match]!];
    boxes.push({ ...box, end: at, afterEnd: afterAt });
    [box.start, box.afterStart] = [at, afterAt];
  }
  boxes.push(box);
  return boxes;
}

/** Good marks around anchors that are kept, by cutting boxes that take long; greedily once `maxSteps` are taken. */
function divideRoughly(before: Int32Array, after: Int32Array, anchors: Matches, maxSteps: number): Marks {
  const finder = new MiddleFinder(before, after);
  const cutCost = Math.max(minCutCost, Math.min(maxCutCost, maxSteps / (before.length + after.length)));
  return divide(
    before,
    after,
    boxesBetween(before, after, anchors),
    (box) => (finder.steps < maxSteps ? finder.find(box, cutCost ** 2) : undefined),
    (box, marks) => alignGreedily(before, after, box, marks),
  )!;
}

const noMatches: Matches = { before: new Int32Array(0), after: new Int32Array(0) };

/** The numbers that make the fewest pairs, as many of them as make `maxPairs`. */
function rarest(pairs: Float64Array, maxPairs: number): Uint8Array {
  const isRare = new Uint8Array(pairs.length);
  let left = maxPairs;
  for (let bound = 1; bound < 4 * maxPairs; bound *= 4) {
    for (let id = 0; id < pairs.length; id++) {
      const count = pairs[id]!;
      if (count <= bound / 4 || count > bound || count > left) continue;
      isRare[id] = 1;
      left -= count;
    }
  }
  return isRare;
}

/** How much work it may be: steps of either of two divisions, and pairs of the rare elements that one goes by. */
type RoughEffort = { steps: number; anchorPairs: number };

/** A long common subsequence, where the longest would be too much work; `pairs` are the pairs of each number. */
function alignRoughly(before: Int32Array, after: Int32Array, pairs: Float64Array, effort: RoughEffort): Marks {
  const free = divideRoughly(before, after, noMatches, effort.steps);
  const anchorPairs = effort.anchorPairs - before.length - after.length;
  if (anchorPairs <= 0) return free;
  // Anchors find what went elsewhere as a whole, but rare elements that went astray alone pull them off course.
  const anchors = matchByPairs(before, after, rarest(pairs, anchorPairs));
  const anchored = divideRoughly(before, after, anchors, effort.steps);
  return countMarks(free.removed) < countMarks(anchored.removed) ? free : anchored;
}

/** Marks, and whether no fewer would do. */
export type Alignment = Marks & { exact: boolean };

/**
 * The most work that an alignment may be, counted and not timed, so that its result is the same on a busy machine:
 * steps of a search that suits versions of one text, pairs of equal elements, steps of each search beyond that, and pairs
 * of rare elements.
 */
type AlignEffort = { firstSteps: number; pairs: number; steps: number; anchorPairs: number };

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
