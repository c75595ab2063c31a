import { type Box, countMarks, divide, type Marks, MiddleFinder, wholeBox } from "./divide";

/** Indexes of matching elements, in order: `before[matches.before[n]]` equals `after[matches.after[n]]`. */
type Matches = { before: Int32Array; after: Int32Array };

/** Returns the number of pairs of each id: its occurrences on one side times those on the other. */
function countPairs(before: Int32Array, after: Int32Array, idCount: number): Float64Array {
  const times = new Int32Array(idCount);
  const pairs = new Float64Array(idCount);
  for (const id of after) times[id]!++;
  for (const id of before) pairs[id]! += times[id]!;
  return pairs;
}

/** Returns the indexes of each id, in order: the entries of `positions` from `starts[id]` to `starts[id + 1]`. */
function listPositions(ids: Int32Array, idCount: number) {
  const starts = new Int32Array(idCount + 1);
  for (const id of ids) starts[id + 1]!++;
  for (let id = 0; id < idCount; id++) starts[id + 1]! += starts[id]!;
  const positions = new Int32Array(ids.length);
  const next = starts.slice();
  for (let at = 0; at < ids.length; at++) positions[next[ids[at]!]!++] = at;
  return { starts, positions };
}

const firstCapacity = 4_096;

/** Common subsequences that share their beginnings: each consists of its last pair and the chain that it continues. */
class Chains {
  count = 0;
  #pairs = new Int32Array(3 * firstCapacity);

  /** Extends `chain`, or starts one for -1, and returns the longer one. */
  extend(chain: number, at: number, afterAt: number): number {
    const index = 3 * this.count;
    if (index === this.#pairs.length) {
      const larger = new Int32Array(2 * index);
      larger.set(this.#pairs);
      this.#pairs = larger;
    }
    this.#pairs[index] = chain;
    this.#pairs[index + 1] = at;
    this.#pairs[index + 2] = afterAt;
    return this.count++;
  }

  /** Returns the pairs of a chain of `length`. */
  read(chain: number, length: number): Matches {
    const matches = { before: new Int32Array(length), after: new Int32Array(length) };
    for (let [index, link] = [length - 1, chain]; index >= 0; index--) {
      matches.before[index] = this.#pairs[3 * link + 1]!;
      matches.after[index] = this.#pairs[3 * link + 2]!;
      link = this.#pairs[3 * link]!;
    }
    return matches;
  }
}

/**
 * Returns a longest common subsequence of two sequences over the ids that `isUsed` marks (Hunt and Szymanski, "A Fast
 * Algorithm for Computing Longest Common Subsequences", 1977), in time and space linear in their pairs.
 */
function matchByPairs(before: Int32Array, after: Int32Array, isUsed: Uint8Array): Matches {
  const { starts, positions } = listPositions(after, isUsed.length);
  const chains = new Chains();
  /** For each length, the common subsequence that ends first in `after`, and where it ends there. */
  const shortest = new Int32Array(Math.min(before.length, after.length));
  const ends = new Int32Array(shortest.length);
  let longest = 0;
  for (let at = 0; at < before.length; at++) {
    const id = before[at]!;
    if (isUsed[id] === 0) continue;
    // Backward, so that no element of `before` extends a chain that it has just created.
    let high = longest;
    for (let index = starts[id + 1]! - 1; index >= starts[id]!; index--) {
      const afterAt = positions[index]!;
      for (let low = 0; low < high; ) {
        const middle = (low + high) >>> 1;
        if (ends[middle]! < afterAt) low = middle + 1;
        else high = middle;
      }
      if (high < longest && ends[high] === afterAt) continue;
      ends[high] = afterAt;
      shortest[high] = chains.extend(high === 0 ? -1 : shortest[high - 1]!, at, afterAt);
      if (high === longest) longest++;
    }
  }
  return longest === 0 ? chains.read(-1, 0) : chains.read(shortest[longest - 1]!, longest);
}

/** How far ahead the nearest pair is searched, in positions of both sides together. */
const maxDistance = 32;

/**
 * Marks the elements of a box by skipping each difference to the nearest pair of equal elements. Far from the best result
 * for very different sequences, but in linear time.
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

/** Bounds of the edits after which the search of a box is cut short; more than a few hundred improve little. */
const minCutCost = 16;
const maxCutCost = 512;

/** Returns the boxes between the matches; each match is at the start of a box. */
function boxesBetween(before: Int32Array, after: Int32Array, matches: Matches): Box[] {
  const boxes: Box[] = [];
  const box = wholeBox(before, after);
  for (let match = 0; match < matches.before.length; match++) {
    const [at, afterAt] = [matches.before[match]!, matches.after[match]!];
    boxes.push({ ...box, end: at, afterEnd: afterAt });
    [box.start, box.afterStart] = [at, afterAt];
  }
  boxes.push(box);
  return boxes;
}

/** Returns good marks around fixed anchors: long searches are cut short, and after `maxSteps` boxes are aligned greedily. */
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

/** Returns marks of the ids with the fewest pairs, together at most `maxPairs`. */
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

/** Steps of a rough division that are added to its limit for each element. */
const roughStepsPerElement = 40;

/**
 * Limits of the work: steps of each of two divisions of a short text, and of any text, and pairs of the rare elements
 * that anchor one of them.
 */
type RoughEffort = { roughSteps: number; steps: number; anchorPairs: number };

/** Returns a long common subsequence where the longest is too much work. `pairs` are the pair counts of each id. */
function alignRoughly(before: Int32Array, after: Int32Array, pairs: Float64Array, effort: RoughEffort): Marks {
  const elementCount = before.length + after.length;
  const steps = Math.min(effort.steps, effort.roughSteps + roughStepsPerElement * elementCount);
  const free = divideRoughly(before, after, noMatches, steps);
  const anchorPairs = effort.anchorPairs - elementCount;
  if (anchorPairs <= 0) return free;
  // Anchors find blocks that moved as a whole, but single rare elements that moved alone mislead them.
  const anchors = matchByPairs(before, after, rarest(pairs, anchorPairs));
  const anchored = divideRoughly(before, after, anchors, steps);
  return countMarks(free.removed) < countMarks(anchored.removed) ? free : anchored;
}

/** Marks, and whether they are the fewest possible. */
export type Alignment = Marks & { exact: boolean };

/**
 * Limits of the work of an alignment, counted rather than timed, so that the result does not depend on the machine's
 * load: steps of a first search that suits versions of one text, pairs of equal elements, steps of each further search,
 * steps of a rough search of a short text, and pairs of rare elements.
 */
type AlignEffort = { firstSteps: number; pairs: number; steps: number; roughSteps: number; anchorPairs: number };

const fullEffort: AlignEffort = {
  firstSteps: 4_000_000,
  pairs: 6_000_000,
  steps: 32_000_000,
  roughSteps: 6_000_000,
  anchorPairs: 2_000_000,
};

/** Cost of reading an element, in steps. */
const stepsPerElement = 10;

/** Returns the exact marks if that takes at most about `maxSteps`. */
function divideExactly(before: Int32Array, after: Int32Array, maxSteps: number): Marks | undefined {
  if (maxSteps <= 0) return undefined;
  const finder = new MiddleFinder(before, after);
  return divide(before, after, [wholeBox(before, after)], (box) => {
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
 * Returns a longest common subsequence of two sequences of ids, as marks of the elements not in it. If that would be too
 * much work, it is a shorter one, and `exact` is false.
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
