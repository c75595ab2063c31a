import { expect, test } from "vitest";
import { databaseOf, Refreshed } from "#lib/platform/refreshed";
import { deferred } from "#tests/support/deferred";
import { manualTimers, untimed } from "#tests/support/timers";

let nowMs = 0;
const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
const context = { clock, startTimer: untimed };
const failures: unknown[] = [];
const onFailure = (error: unknown) => failures.push(error);
const use = (value: Refreshed<number>, read: (last: number) => Promise<number>) =>
  value.get(context, { read, onFailure });

test("a value is read by the first use after its time, once for concurrent ones, and kept after a failure", async () => {
  const value = new Refreshed(0, { refreshAfterMs: 1_000, maxWaitMs: 60_000 });
  const next = async (last: number) => last + 1;
  expect(await Promise.all([use(value, next), use(value, next)])).toEqual([1, 1]);
  nowMs += 999;
  expect(await use(value, next)).toBe(1);
  nowMs += 1;
  expect(await use(value, next)).toBe(2);
  for (const message of ["first", "second"]) {
    nowMs += 1_000;
    expect(await use(value, () => Promise.reject(new Error(message)))).toBe(2);
    expect(value.isFailing).toBe(true);
  }
  expect(failures).toEqual([new Error("first")]);
  nowMs += 1_000;
  expect([await use(value, next), value.isFailing]).toEqual([3, false]);
});

test("a use does not wait longer than allowed, and others do not wait for its read after the first", async () => {
  const value = new Refreshed(0, { refreshAfterMs: 1_000, maxWaitMs: 500 });
  const answer = deferred<number>();
  const { startTimer, running } = manualTimers();
  const first = value.get({ clock, startTimer }, { read: () => answer.promise, onFailure });
  running.get(500)?.();
  expect(await first).toBe(0);
  expect(await use(value, async () => 9)).toBe(0);
  answer.resolve(5);
  await answer.promise;
  expect(await use(value, async () => 9)).toBe(5);
});

test("a context whose database is not configured has none", () => {
  const missing = {
    get database(): object {
      throw new Error("not configured");
    },
  };
  expect([databaseOf(missing), databaseOf({}), databaseOf({ database: 1 })]).toEqual([undefined, undefined, 1]);
});
