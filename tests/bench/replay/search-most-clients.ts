import type { Measurement } from "./measure";
import { median } from "./percentiles";
import { searchLimitMs, searchSteps } from "./plan";

/** The most clients of the tried numbers that a server serves in time, and the first number that it does not. */
export type MostClients = { server: string; inTime: number; tooMany: number | null; tooManyP99Ms: number };

function isInTime(p99Ms: number, failureCount: number): boolean {
  return failureCount === 0 && p99Ms <= searchLimitMs;
}

/**
 * Tries the steps upwards until one fails. A step's verdict is that of most of its runs; a step that the matrix has
 * measured already is not repeated, and one that is new ends as soon as most of its runs agree.
 */
export async function searchMostClients(
  server: string,
  runCount: number,
  known: readonly Measurement[],
  measure: (clientCount: number) => Promise<Measurement>,
): Promise<MostClients> {
  let inTime = 0;
  for (const clientCount of searchSteps) {
    const runs = known.filter((run) => run.server === server && run.clientCount === clientCount);
    const isKnown = runs.length > 0;
    while (!isKnown && !isDecided(runs, runCount)) runs.push(await measure(clientCount));
    const passedCount = countPassed(runs);
    if (passedCount * 2 <= runs.length) {
      const tooManyP99Ms = median(runs.map(({ seen }) => seen.error.p99Ms));
      return { server, inTime, tooMany: clientCount, tooManyP99Ms };
    }
    inTime = clientCount;
  }
  return { server, inTime, tooMany: null, tooManyP99Ms: Number.NaN };
}

function countPassed(runs: readonly Measurement[]): number {
  return runs.filter(({ seen, failureCount }) => isInTime(seen.error.p99Ms, failureCount)).length;
}

function isDecided(runs: readonly Measurement[], runCount: number): boolean {
  const passedCount = countPassed(runs);
  return passedCount * 2 > runCount || (runs.length - passedCount) * 2 >= runCount;
}
