import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runConcurrently } from "#lib/platform/run-concurrently";
import { deferred } from "#tests/support/deferred";

/** Runs items 1 to `count`. Each frees its place and ends when the test says so. */
function startRun(count: number, concurrency: number, extraCount = 0) {
  const remaining = Array.from({ length: count }, (_, index) => index + 1);
  const ends = new Map<number, ReturnType<typeof deferred<void>>>();
  const freed = new Map<number, () => void>();
  const failing = new Set<number>();
  const ended = runConcurrently<number>({
    take: async (limit) => remaining.splice(0, limit),
    concurrency,
    extraCount,
    mayTake: () => true,
    work: async (item, freePlace) => {
      const end = deferred();
      ends.set(item, end);
      freed.set(item, freePlace);
      await end.promise;
      if (failing.has(item)) throw new Error(`no ${item}`);
    },
  });
  return {
    ended,
    remaining,
    started: () => [...ends.keys()],
    free: (item: number) => freed.get(item)?.(),
    end: (item: number) => ends.get(item)?.resolve(),
    fail: (item: number) => {
      failing.add(item);
      ends.get(item)?.resolve();
    },
  };
}

describe("work on several items at a time", () => {
  it("starts no more than there are places, and the next one when one ends", async () => {
    const { started, end, ended } = startRun(3, 2);
    await expect.poll(started).toEqual([1, 2]);
    end(2);
    await expect.poll(started).toEqual([1, 2, 3]);
    for (const item of [1, 3]) end(item);
    await ended;
  });

  it("starts others when places are freed, up to a number beyond the places, and waits for all", async () => {
    const { started, free, end, ended, remaining } = startRun(5, 2, 1);
    await expect.poll(started).toEqual([1, 2]);
    for (const item of [1, 2]) free(item);
    await expect.poll(started).toEqual([1, 2, 3]);
    free(3);
    await nextTurn();
    expect(remaining).toEqual([4, 5]);
    end(2);
    await expect.poll(started).toEqual([1, 2, 3, 4]);
    for (const item of [1, 3, 4]) end(item);
    await expect.poll(started).toEqual([1, 2, 3, 4, 5]);
    end(5);
    await ended;
  });

  it("throws an error after what was started, and starts nothing more", async () => {
    const { started, fail, end, ended, remaining } = startRun(3, 2);
    await expect.poll(started).toEqual([1, 2]);
    let hasEnded = false;
    const settled = ended
      .catch((error: Error) => error.message)
      .finally(() => {
        hasEnded = true;
      });
    fail(1);
    await Promise.resolve();
    expect(hasEnded).toBe(false);
    end(2);
    expect(await settled).toBe("no 1");
    expect(remaining).toEqual([3]);
  });
});
