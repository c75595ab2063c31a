import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueTimesMs, median, quantileOfSorted, spreadOfErrors, summarizeRuns } from "#tests/bench/replay/percentiles";

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

  it("of the numbers 1 to 100 are 50, 99 and 100", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.99, 1].map((quantile) => quantileOfSorted(hundred, quantile))).toEqual([50, 99, 100]);
  });

  it("of no values are NaN", () => {
    expect(quantileOfSorted([], 0.5)).toBeNaN();
    expect(spreadOfErrors(new Float64Array())).toEqual({ p50Ms: Number.NaN, p99Ms: Number.NaN, maxMs: Number.NaN });
  });
});

describe("the spread of errors", () => {
  it("treats early and late alike", () => {
    fc.assert(
      fc.property(values, (list) => {
        const mirrored = spreadOfErrors(Float64Array.from(list, (value) => -value));
        const spread = spreadOfErrors(Float64Array.from(list));
        expect(mirrored).toEqual(spread);
        expect(spread.maxMs).toBe(Math.max(...list.map(Math.abs)));
        expect(spread.p50Ms).toBeLessThanOrEqual(spread.p99Ms);
        expect(spread.p99Ms).toBeLessThanOrEqual(spread.maxMs);
      }),
    );
  });
});

describe("the summary of runs", () => {
  it("has a measured value as median, and the minimum and maximum", () => {
    fc.assert(
      fc.property(values, (list) => {
        const summary = summarizeRuns(list);
        expect(list).toContain(summary.median);
        expect(summary).toEqual({ median: median(list), min: Math.min(...list), max: Math.max(...list) });
      }),
    );
  });

  it("omits runs without a value", () => {
    expect(summarizeRuns([3, Number.NaN, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
    expect(summarizeRuns([Number.NaN]).median).toBeNaN();
  });
});

it("due times are the cumulative sums of the delays", () => {
  expect([...dueTimesMs([20, 5.5, 0, 80])]).toEqual([20, 25.5, 25.5, 105.5]);
});
