import { alignGreedily } from "./align-greedily";
import { divide, type Marks, wholeOf } from "./divide";
import { type Box, MiddleFinder } from "./find-middle";
import { type Matches, matchByPairs } from "./match-pairs";

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
export function alignRoughly(before: Int32Array, after: Int32Array, pairs: Float64Array, effort: RoughEffort): Marks {
  const free = divideRoughly(before, after, noMatches, effort.steps);
  const anchorPairs = effort.anchorPairs - before.length - after.length;
  if (anchorPairs <= 0) return free;
  // Anchors find what went elsewhere as a whole, but rare elements that went astray alone pull them off course.
  const anchors = matchByPairs(before, after, rarest(pairs, anchorPairs));
  const anchored = divideRoughly(before, after, anchors, effort.steps);
  return countMarks(free.removed) < countMarks(anchored.removed) ? free : anchored;
}
