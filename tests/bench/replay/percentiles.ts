/** Median, 99th percentile and maximum of a set of errors, in milliseconds. */
export type Spread = { p50Ms: number; p99Ms: number; maxMs: number };

/**
 * Returns the value at `quantile` (0 to 1) of ascending `sorted`, by the nearest-rank method: the smallest value that at
 * least that share of all values does not exceed. It is always a measured value, never an interpolation.
 * NaN for an empty set.
 */
export function quantileOfSorted(sorted: ArrayLike<number>, quantile: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.ceil(quantile * sorted.length);
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1]!;
}

/** Returns median, 99th percentile and maximum of the values' distance from zero. Sorts `values` in place. */
export function spreadOfErrors(values: Float64Array): Spread {
  for (let index = 0; index < values.length; index++) values[index] = Math.abs(values[index]!);
  values.sort();
  return {
    p50Ms: quantileOfSorted(values, 0.5),
    p99Ms: quantileOfSorted(values, 0.99),
    maxMs: quantileOfSorted(values, 1),
  };
}

/** Returns the median: the lower of the two middle values for an even count, so it is a measured value. NaN if empty. */
export function median(values: readonly number[]): number {
  return quantileOfSorted(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Results of several runs of one configuration for one quantity. */
export type RunSummary = { median: number; min: number; max: number };

/** Returns median, minimum and maximum over the runs. Runs without a value (NaN) are omitted. */
export function summarizeRuns(values: readonly number[]): RunSummary {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return { median: Number.NaN, min: Number.NaN, max: Number.NaN };
  return { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

/** Returns the cumulative sums of the delays: when each chunk is due, in milliseconds after the request. */
export function dueTimesMs(deltasMs: readonly number[]): Float64Array {
  const due = new Float64Array(deltasMs.length);
  let sumMs = 0;
  for (let index = 0; index < deltasMs.length; index++) {
    sumMs += deltasMs[index]!;
    due[index] = sumMs;
  }
  return due;
}
