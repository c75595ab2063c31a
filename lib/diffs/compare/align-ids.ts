import { type Box, MiddleFinder } from "./find-middle";

/** 1 for each element that has no partner on the other side; the unmarked ones pair up in order. */
export type Alignment = { removed: Uint8Array; added: Uint8Array; exact: boolean };

/** Share of the time left that the search for a shortest alignment may take. */
const exactShare = 0.6;
/** Once that time is over: the fewest edits searched before a box is cut, and the steps that a millisecond is good for. */
const minCutCost = 16;
const stepsPerMs = 100_000;

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
 * A longest common subsequence of two sequences (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986, in
 * linear space), as the marks of what is not in it. From `deadlineMs` (of `performance.now()`) on, and in part some time
 * before, the marks are those of a shorter common subsequence, and `exact` is false.
 */
export function alignIds(before: Int32Array, after: Int32Array, deadlineMs: number): Alignment {
  const removed = new Uint8Array(before.length);
  const added = new Uint8Array(after.length);
  const nowMs = performance.now();
  const exactUntilMs = nowMs + (deadlineMs - nowMs) * exactShare;
  const cutCost = ((deadlineMs - exactUntilMs) * stepsPerMs) / (before.length + after.length + 1);
  const finder = new MiddleFinder(before, after, Math.max(minCutCost, cutCost), exactUntilMs);
  const open: Box[] = [{ start: 0, end: before.length, afterStart: 0, afterEnd: after.length }];
  let isTimeUp = false;
  for (let box = open.pop(); box; box = open.pop()) {
    shrink(before, after, box);
    const isDecided = box.start === box.end || box.afterStart === box.afterEnd;
    isTimeUp ||= !isDecided && finder.isCutting && performance.now() > deadlineMs;
    if (isDecided || isTimeUp) {
      removed.fill(1, box.start, box.end);
      added.fill(1, box.afterStart, box.afterEnd);
      continue;
    }
    const middle = finder.find(box);
    open.push({ ...box, start: middle.at, afterStart: middle.afterAt });
    open.push({ ...box, end: middle.at, afterEnd: middle.afterAt });
  }
  return { removed, added, exact: !finder.isCutting };
}
