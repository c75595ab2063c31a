import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { batchCalls } from "#lib/platform/batch-calls";
import { AppError } from "#lib/platform/errors";
import { deferred } from "#tests/support/deferred";

/** Returns a function that doubles numbers, with the batches that it has handled. */
function createDoubler(limits: Parameters<typeof batchCalls<object, number, number>>[1], fail = (_item: number) => {}) {
  const batches: (readonly number[])[] = [];
  const open = deferred<void>();
  const double = batchCalls<object, number, number>(async (_owner, items) => {
    batches.push(items);
    await open.promise;
    items.forEach(fail);
    return items.map((item) => 2 * item);
  }, limits);
  return { batches, double, open: () => open.resolve() };
}

describe("calls that are handled in batches", () => {
  it("share a batch if they arrive together or while another is handled, and get their own results", async () => {
    const { batches, double, open } = createDoubler({ maxCount: 10 });
    const owner = {};
    const first = [1, 2].map((item) => double(owner, item));
    await expect.poll(() => batches.length).toBe(1);
    const second = [3, 4, 5].map((item) => double(owner, item));
    open();
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect(await double(owner, 6)).toBe(12);
  });

  it("are bounded in number and size, where one that is too large is a batch of its own", async () => {
    const { batches, double, open } = createDoubler({ maxCount: 3, maxSize: 10, sizeOf: (item) => item });
    const owner = {};
    open();
    await Promise.all([1, 2, 3, 4, 5, 6, 20, 1].map((item) => double(owner, item)));
    expect(batches).toEqual([[1, 2, 3], [4, 5], [6], [20], [1]]);
  });

  it("are gathered until enough wait, however long that takes", async () => {
    const { batches, double, open } = createDoubler({ maxCount: 10, gather: { waitMs: 3_600_000, enoughCount: 3 } });
    const owner = {};
    open();
    const first = [1, 2].map((item) => double(owner, item));
    await nextTurn();
    expect(batches).toEqual([]);
    expect(await Promise.all([...first, double(owner, 3)])).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it("are handled after the time in which they are gathered, even if fewer arrived", async () => {
    const { batches, double, open } = createDoubler({ maxCount: 10, gather: { waitMs: 1, enoughCount: 3 } });
    open();
    expect(await double({}, 1)).toBe(2);
    expect(batches).toEqual([[1]]);
  });

  it("do not wait again if they were left over by a batch that was full", async () => {
    const gather = { waitMs: 3_600_000, enoughCount: 3 };
    const { batches, double, open } = createDoubler({ maxCount: 10, maxSize: 5, sizeOf: (item) => item, gather });
    const owner = {};
    open();
    expect(await Promise.all([3, 2, 1].map((item) => double(owner, item)))).toEqual([6, 4, 2]);
    expect(batches).toEqual([[3, 2], [1]]);
  });

  it("are apart for each owner", async () => {
    const { batches, double, open } = createDoubler({ maxCount: 10 });
    open();
    await Promise.all([double({}, 1), double({}, 2)]);
    expect(batches).toEqual([[1], [2]]);
  });

  it("are handled alone if their batch fails, so that only the one at fault fails", async () => {
    const { double, open } = createDoubler({ maxCount: 10 }, (item) => {
      if (item === 2) throw new Error("not 2");
    });
    open();
    const owner = {};
    const results = await Promise.allSettled([1, 2, 3].map((item) => double(owner, item)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  it("fail together if no item is at fault", async () => {
    const { batches, double, open } = createDoubler({ maxCount: 10 }, () => {
      throw new AppError("service_unavailable", "The database does not answer.");
    });
    open();
    const owner = {};
    const results = await Promise.allSettled([1, 2, 3].map((item) => double(owner, item)));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(batches).toHaveLength(1);
  });
});
