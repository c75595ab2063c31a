import type { Box, Middle } from "./find-middle";

/** 1 for each element that has no partner on the other side; the unmarked ones pair up in order. */
export type Marks = { removed: Uint8Array; added: Uint8Array };

/** Leaves out what a box has in common at both ends. */
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
 * Divides boxes at their middles until each is decided (Myers, "An O(ND) Difference Algorithm and Its Variations",
 * 1986, in linear space). A box whose middle is not found is settled otherwise; undefined without a way to.
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
      // Most of them are too small for `fill` to pay.
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

/** The box that holds all of both sequences. */
export const wholeOf = (before: Int32Array, after: Int32Array): Box => ({
  ...{ start: 0, end: before.length },
  ...{ afterStart: 0, afterEnd: after.length },
});
