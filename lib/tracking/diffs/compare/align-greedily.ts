import type { Marks } from "./divide";
import type { Box } from "./find-middle";

/** How far ahead the nearest pair is looked for: places of both sides together. */
const maxDistance = 32;

/**
 * Marks what the box loses where each difference is passed by the nearest pair of equal elements ahead: far from the
 * best where much is different, but in time in proportion to the box.
 */
export function alignGreedily(before: Int32Array, after: Int32Array, box: Box, { removed, added }: Marks): void {
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
