/** A range of each of the two aligned sequences. */
export type Box = { start: number; end: number; afterStart: number; afterEnd: number };

/** Point that splits a box in two. A longest common subsequence passes through it unless the search was cut short. */
type Middle = { at: number; afterAt: number; isCut: boolean };

/** Fixed cost of a search. */
const stepsPerFind = 64;
const never = 2 ** 31 - 1;

/**
 * Finds the middles of boxes by searching from both corners at once along the diagonals `before index - after index`, as
 * GNU diff does.
 */
export class MiddleFinder {
  /** Work of all searches so far: diagonals visited and equal elements passed on them. */
  steps = 0;
  /** Furthest position on each diagonal, forward from the start and backward from the end. */
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  /** Added to a diagonal to get its index in the arrays. */
  readonly #offset: number;

  constructor(
    readonly before: Int32Array,
    readonly after: Int32Array,
  ) {
    this.#offset = after.length + 1;
    this.#forward = new Int32Array(before.length + after.length + 3);
    this.#backward = new Int32Array(before.length + after.length + 3);
  }

  /**
   * Returns the middle of a box, which must have elements on both sides and differ at both ends. A search of more than
   * about `maxSteps` is cut short at the furthest point reached.
   */
  find(box: Box, maxSteps: number): Middle {
    const { start, end, afterStart, afterEnd } = box;
    const { before, after } = this;
    const forward = this.#forward;
    const backward = this.#backward;
    const offset = this.#offset;
    const lowest = start - afterEnd + offset;
    const highest = end - afterStart + offset;
    const first = start - afterStart + offset;
    const last = end - afterEnd + offset;
    const isOdd = ((first - last) & 1) === 1;
    let forwardLow = first;
    let forwardHigh = first;
    let backwardLow = last;
    let backwardHigh = last;
    forward[first] = start;
    backward[last] = end;
    let steps = stepsPerFind;
    while (steps < maxSteps) {
      if (forwardLow > lowest) forward[--forwardLow - 1] = -1;
      else forwardLow++;
      if (forwardHigh < highest) forward[++forwardHigh + 1] = -1;
      else forwardHigh--;
      for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
        const below = forward[diagonal - 1]!;
        const above = forward[diagonal + 1]!;
        let at = below < above ? above : below + 1;
        const startAt = at;
        let afterAt = at - diagonal + offset;
        while (at < end && afterAt < afterEnd && before[at] === after[afterAt]) {
          at++;
          afterAt++;
        }
        steps += 1 + at - startAt;
        forward[diagonal] = at;
        if (isOdd && backwardLow <= diagonal && diagonal <= backwardHigh && backward[diagonal]! <= at) {
          this.steps += steps;
          return { at, afterAt, isCut: false };
        }
      }
      if (backwardLow > lowest) backward[--backwardLow - 1] = never;
      else backwardLow++;
      if (backwardHigh < highest) backward[++backwardHigh + 1] = never;
      else backwardHigh--;
      for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
        const below = backward[diagonal - 1]!;
        const above = backward[diagonal + 1]!;
        let at = below < above ? below : above - 1;
        const startAt = at;
        let afterAt = at - diagonal + offset;
        while (at > start && afterAt > afterStart && before[at - 1] === after[afterAt - 1]) {
          at--;
          afterAt--;
        }
        steps += 1 + startAt - at;
        backward[diagonal] = at;
        if (!isOdd && forwardLow <= diagonal && diagonal <= forwardHigh && at <= forward[diagonal]!) {
          this.steps += steps;
          return { at, afterAt, isCut: false };
        }
      }
    }
    this.steps += steps;
    return this.#cut(box, [forwardLow, forwardHigh], [backwardLow, backwardHigh]);
  }

  /** Returns the end of the path that advanced furthest, forward or backward. */
  #cut(box: Box, [forwardLow, forwardHigh]: [number, number], [backwardLow, backwardHigh]: [number, number]): Middle {
    const { start, end, afterStart, afterEnd } = box;
    let furthest = { at: start, afterAt: afterStart };
    for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
      const shift = this.#offset - diagonal;
      const at = Math.min(this.#forward[diagonal]!, end, afterEnd - shift);
      if (at + at + shift > furthest.at + furthest.afterAt) furthest = { at, afterAt: at + shift };
    }
    let nearest = { at: end, afterAt: afterEnd };
    for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
      const shift = this.#offset - diagonal;
      const at = Math.max(this.#backward[diagonal]!, start, afterStart - shift);
      if (at + at + shift < nearest.at + nearest.afterAt) nearest = { at, afterAt: at + shift };
    }
    const advance = furthest.at + furthest.afterAt - start - afterStart;
    const middle = advance > end + afterEnd - nearest.at - nearest.afterAt ? furthest : nearest;
    return { ...middle, isCut: true };
  }
}

/** 1 for each element without a partner on the other side; the unmarked elements pair up in order. */
export type Marks = { removed: Uint8Array; added: Uint8Array };

/** Removes the common elements at both ends of a box. */
function shrink(before: Int32Array, after: Int32Array, box: Box): void {
  while (box.start < box.end && box.afterStart < box.afterEnd && before[box.start] === after[box.afterStart]) {
    box.start++;
    box.afterStart++;
  }
  while (box.start < box.end && box.afterStart < box.afterEnd && before[box.end - 1] === after[box.afterEnd - 1]) {
    box.end--;
    box.afterEnd--;
  }
}

/**
 * Divides boxes at their middles until every element is decided (Myers, "An O(ND) Difference Algorithm and Its
 * Variations", 1986, in linear space). A box for which `find` returns no middle is left to `settle`; without `settle`,
 * the result is undefined.
 */
export function divide(
  before: Int32Array,
  after: Int32Array,
  boxes: Box[],
  find: (box: Box) => Middle | undefined,
  settle?: (box: Box, marks: Marks) => void,
): Marks | undefined {
  const marks = { removed: new Uint8Array(before.length), added: new Uint8Array(after.length) };
  const { removed, added } = marks;
  for (let box = boxes.pop(); box; box = boxes.pop()) {
    shrink(before, after, box);
    if (box.start === box.end || box.afterStart === box.afterEnd) {
      // Most ranges are too small for `fill` to be faster.
      for (let at = box.start; at < box.end; at++) removed[at] = 1;
      for (let at = box.afterStart; at < box.afterEnd; at++) added[at] = 1;
      continue;
    }
    const middle = find(box);
    if (!middle && !settle) return undefined;
    if (!middle) {
      settle?.(box, marks);
      continue;
    }
    const { at, afterAt } = middle;
    boxes.push({ start: at, end: box.end, afterStart: afterAt, afterEnd: box.afterEnd });
    boxes.push({ start: box.start, end: at, afterStart: box.afterStart, afterEnd: afterAt });
  }
  return marks;
}

/** Returns the number of marked elements. */
export function countMarks(marks: Uint8Array): number {
  let count = 0;
  for (const mark of marks) count += mark;
  return count;
}

/** Returns the box of two whole sequences. */
export const wholeBox = (before: Int32Array, after: Int32Array): Box => ({
  start: 0,
  end: before.length,
  afterStart: 0,
  afterEnd: after.length,
});
