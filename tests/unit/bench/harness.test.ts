import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limit, median, quantileOfSorted, spreadOf, takeTurns } from "#tests/bench/harness";

const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });
const values = fc.array(finite, { minLength: 1, maxLength: 300 });

describe("quantiles", () => {
  it("are the smallest measured values that at least their share of all values does not exceed", () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0.001, max: 1, noNaN: true }), (list, quantile) => {
        const sorted = [...list].sort((a, b) => a - b);
        const found = quantileOfSorted(sorted, quantile);
        const atMost = (limit: number) => sorted.filter((value) => value <= limit).length / sorted.length;
        expect(sorted).toContain(found);
        expect(atMost(found)).toBeGreaterThanOrEqual(quantile - 1e-12);
        const smaller = sorted.filter((value) => value < found);
        if (smaller.length > 0) expect(atMost(smaller.at(-1)!)).toBeLessThan(quantile);
      }),
    );
  });

  it("of the numbers 1 to 100, in any order, are 50, 99 and 100", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => ((index * 37) % 100) + 1);
    expect(spreadOf(hundred)).toEqual({ p50Ms: 50, p99Ms: 99, maxMs: 100 });
  });

  it("of no values are NaN", () => {
    expect(spreadOf([])).toEqual({ p50Ms: Number.NaN, p99Ms: Number.NaN, maxMs: Number.NaN });
  });

  it("leave out runs without a value", () => {
    expect(median([3, Number.NaN, 1, 2])).toBe(2);
    expect(median([Number.NaN])).toBeNaN();
  });
});

it("subjects take turns, and each round starts with the next one", async () => {
  const order: string[] = [];
  const results = await takeTurns(["a", "b", "c"], 2, async (subject, round) => {
    order.push(subject);
    return `${subject}${round}`;
  });
  expect(order).toEqual(["a", "b", "c", "b", "c", "a"]);
  expect(results).toEqual([
    ["a0", "a1"],
    ["b0", "b1"],
    ["c0", "c1"],
  ]);
});

it("a goal is met if all measured values keep its limit, and is left out if nothing was measured", () => {
  expect(limit("≤ 2", { a: 1, b: 3, c: Number.NaN }, { atMost: 2 })).toEqual([
    { goal: "≤ 2", measured: "a: 1.0, b: 3.0", isMet: false },
  ]);
  expect(limit("≥ 2", { a: 2 }, { atLeast: 2 })[0]?.isMet).toBe(true);
  expect(limit("≤ 2", { a: Number.NaN }, { atMost: 2 })).toEqual([]);
});
