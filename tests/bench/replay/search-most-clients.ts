import type { Measurement } from "./measure";
import { median } from "./percentiles";
import { searchLimitMs, searchSteps } from "./plan";

/** The maximum tried number of clients that a server serves in time, and the first number that it does not. */
export type MostClients = { server: string; inTime: number; tooMany: number | null; tooManyP99Ms: number };

function isInTime(p99Ms: number, failureCount: number): boolean {
  return failureCount === 0 && p99Ms <= searchLimitMs;
}

/**
 * Tries the steps upwards until one fails. The majority of its runs decides a step. Steps already measured in the matrix
 * are not repeated, nor are those below the largest one up to which all measured steps passed. A new step ends as soon
 * as the majority of its runs is known.
 */
export async function searchMostClients(
  server: string,
  runCount: number,
  known: readonly Measurement[],
  measure: (clientCount: number) => Promise<Measurement>,
): Promise<MostClients> {
  const knownRuns = (clientCount: number) =>
    known.filter((run) => run.server === server && run.clientCount === clientCount);
  const knownSteps = searchSteps.filter((clientCount) => knownRuns(clientCount).length > 0);
  const firstFailed = knownSteps.findIndex((clientCount) => !hasPassed(knownRuns(clientCount)));
  let inTime = (firstFailed < 0 ? knownSteps : knownSteps.slice(0, firstFailed)).at(-1) ?? 0;
  for (const clientCount of searchSteps.filter((step) => step > inTime)) {
    const runs = knownRuns(clientCount);
    const isKnown = runs.length > 0;
    while (!isKnown && !isDecided(runs, runCount)) runs.push(await measure(clientCount));
    if (!hasPassed(runs)) {
      const tooManyP99Ms = median(runs.map(({ seen }) => seen.error.p99Ms));
      return { server, inTime, tooMany: clientCount, tooManyP99Ms };
    }
    inTime = clientCount;
  }
  return { server, inTime, tooMany: null, tooManyP99Ms: Number.NaN };
}

function hasPassed(runs: readonly Measurement[]): boolean {
  return countPassed(runs) * 2 > runs.length;
}

function countPassed(runs: readonly Measurement[]): number {
  return runs.filter(({ seen, failureCount }) => isInTime(seen.error.p99Ms, failureCount)).length;
}

function isDecided(runs: readonly Measurement[], runCount: number): boolean {
  const passedCount = countPassed(runs);
  return passedCount * 2 > runCount || (runs.length - passedCount) * 2 >= runCount;
}
