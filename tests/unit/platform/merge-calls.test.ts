import { describe, expect, test } from "vitest";
import { mergeCalls } from "#lib/platform/merge-calls";
import { deferred } from "#tests/support/deferred";
import { eventually } from "#tests/support/eventually";

describe("merged calls", () => {
  test("share the run that starts after them, each with its position", async () => {
    const runs: { size: number; end: (result: string) => void }[] = [];
    const merge = mergeCalls<string>();
    const call = (id: string) =>
      merge(id, (size) => {
        const { promise, resolve } = deferred<string>();
        runs.push({ size, end: resolve });
        return promise;
      });
    const first = [call("a"), call("a")];
    await eventually(() => expect(runs.map(({ size }) => size)).toEqual([2]));
    const later = [call("a"), call("a"), call("a"), call("b")];
    await eventually(() => expect(runs.map(({ size }) => size)).toEqual([2, 1]));
    runs[1]?.end("b");
    runs[0]?.end("one");
    expect(await Promise.all(first)).toEqual([
      { result: "one", position: 1, size: 2 },
      { result: "one", position: 2, size: 2 },
    ]);
    await eventually(() => expect(runs).toHaveLength(3));
    runs[2]?.end("two");
    expect((await Promise.all(later)).map(({ result, position }) => [result, position])).toEqual([
      ["two", 1],
      ["two", 2],
      ["two", 3],
      ["b", 1],
    ]);
  });

  test("fail together; the next ones run again", async () => {
    const merge = mergeCalls<string>();
    const failing = () => Promise.reject(new Error("gone"));
    const failed = await Promise.allSettled([merge("a", failing), merge("a", failing)]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await merge("a", async () => "back")).toMatchObject({ result: "back" });
  });
});
