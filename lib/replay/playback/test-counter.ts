import { LRUCache } from "lru-cache";
import { processSingleton } from "#lib/platform/process-singleton";
import { hourMs } from "#lib/platform/time";

/** Most counts kept in memory; the least recently used are forgotten first. */
export const maxTestCount = 10_000;
/** How long a count is kept after its last request, in milliseconds. */
export const testCountAgeMs = hourMs;
/** Longest name of a test, in characters. */
export const maxTestNameLength = 200;

const counts = () =>
  processSingleton(
    "replay-test-counts",
    () => new LRUCache<string, number>({ max: maxTestCount, ttl: testCountAgeMs }),
  );

/** Counts a request of a test, and returns its number: 0 for the first. The counts live in this process. */
export function countInTest(test: string, subject: string): number {
  const key = JSON.stringify([test, subject]);
  const number = counts().get(key) ?? 0;
  counts().set(key, number + 1);
  return number;
}
