import { LRUCache } from "lru-cache";

/** Most counts kept in memory; the least recently used are forgotten first. */
const maxCount = 10_000;
/** How long a count is kept after its last use, in milliseconds. */
const maxAgeMs = 60 * 60 * 1_000;

/**
 * Returns a function that returns how often it was called with a key before.
 *
 * @returns {(key: string) => number}
 */
export function createCounts() {
  const counts = new LRUCache({ max: maxCount, ttl: maxAgeMs });
  return (key) => {
    const number = counts.get(key) ?? 0;
    counts.set(key, number + 1);
    return number;
  };
}
