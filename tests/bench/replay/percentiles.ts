/** Median, 99th percentile, largest: what is said of a set of errors, in milliseconds. */
export type Spread = { p50Ms: number; p99Ms: number; maxMs: number };

/**
 * The value at `quantile` (0 to 1) of ascending `sorted`, by the nearest-rank method: the smallest value that at
 * least that share of all values does not exceed. It is always a value that was measured, never an interpolation.
 * NaN for an empty set.
 */
export function quantileOfSorted(sorted: ArrayLike<number>, quantile: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.ceil(quantile * sorted.length);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1]!;
}

/** Median, 99th percentile and maximum of the values' distance from zero. Sorts `values` in place. */
export function spreadOfErrors(values: Float64Array): Spread {
  for (let index = 0; index < values.length; index++) values[index] = Math.abs(values[index]!);
  values.sort();
  return {
    p50Ms: quantileOfSorted(values, 0.5),
    p99Ms: quantileOfSorted(values, 0.99),
    maxMs: quantileOfSorted(values, 1),
  };
}

/** The middle value; of an even count the lower of the two, so that it is one that was measured. NaN if empty. */
export function median(values: readonly number[]): number {
  return quantileOfSorted(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** What several runs of one configuration gave for one quantity. */
export type RunSummary = { median: number; min: number; max: number };

/** Median, least and greatest over the runs; runs without a number (NaN) are left out. */
export function summarizeRuns(values: readonly number[]): RunSummary {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return { median: Number.NaN, min: Number.NaN, max: Number.NaN };
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

/** Running sums of the delays: when each chunk is due, in milliseconds after the request. */
export function dueTimesMs(deltasMs: readonly number[]): Float64Array {
  const due = new Float64Array(deltasMs.length);
  let sumMs = 0;
  for (let index = 0; index < deltasMs.length; index++) {
    sumMs += deltasMs[index]!;
    due[index] = sumMs;
  }
  return due;
}
