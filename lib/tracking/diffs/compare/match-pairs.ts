/** Indexes of matching elements, in order: `before[matches.before[n]]` equals `after[matches.after[n]]`. */
export type Matches = { before: Int32Array; after: Int32Array };

/** Returns the number of pairs of each id: its occurrences on one side times those on the other. */
export function countPairs(before: Int32Array, after: Int32Array, idCount: number): Float64Array {
  const times = new Int32Array(idCount);
  const pairs = new Float64Array(idCount);
  for (const id of after) times[id]!++;
  for (const id of before) pairs[id]! += times[id]!;
  return pairs;
}

/** Returns the indexes of each id, in order: the entries of `positions` from `starts[id]` to `starts[id + 1]`. */
function listPositions(ids: Int32Array, idCount: number) {
  const starts = new Int32Array(idCount + 1);
  for (const id of ids) starts[id + 1]!++;
  for (let id = 0; id < idCount; id++) starts[id + 1]! += starts[id]!;
  const positions = new Int32Array(ids.length);
  const next = starts.slice();
  for (let at = 0; at < ids.length; at++) positions[next[ids[at]!]!++] = at;
  return { starts, positions };
}

const firstCapacity = 4_096;

/** Common subsequences that share their beginnings: each consists of its last pair and the chain that it continues. */
class Chains {
  count = 0;
  #pairs = new Int32Array(3 * firstCapacity);

  /** Extends `chain`, or starts one for -1, and returns the longer one. */
  extend(chain: number, at: number, afterAt: number): number {
    const index = 3 * this.count;
    if (index === this.#pairs.length) {
      const larger = new Int32Array(2 * index);
      larger.set(this.#pairs);
      this.#pairs = larger;
    }
    this.#pairs[index] = chain;
    this.#pairs[index + 1] = at;
    this.#pairs[index + 2] = afterAt;
    return this.count++;
  }

  /** Returns the pairs of a chain of `length`. */
  read(chain: number, length: number): Matches {
    const matches = { before: new Int32Array(length), after: new Int32Array(length) };
    for (let [index, link] = [length - 1, chain]; index >= 0; index--) {
      matches.before[index] = this.#pairs[3 * link + 1]!;
      matches.after[index] = this.#pairs[3 * link + 2]!;
      link = this.#pairs[3 * link]!;
    }
    return matches;
  }
}

/**
 * Returns a longest common subsequence of two sequences over the ids that `isUsed` marks (Hunt and Szymanski, "A Fast
 * Algorithm for Computing Longest Common Subsequences", 1977), in time and space linear in their pairs.
 */
export function matchByPairs(before: Int32Array, after: Int32Array, isUsed: Uint8Array): Matches {
  const { starts, positions } = listPositions(after, isUsed.length);
  const chains = new Chains();
  /** For each length, the common subsequence that ends first in `after`, and where it ends there. */
  const shortest = new Int32Array(Math.min(before.length, after.length));
  const ends = new Int32Array(shortest.length);
  let longest = 0;
  for (let at = 0; at < before.length; at++) {
    const id = before[at]!;
    if (isUsed[id] === 0) continue;
    // Backward, so that no element of `before` extends a chain that it has just created.
    let high = longest;
    for (let index = starts[id + 1]! - 1; index >= starts[id]!; index--) {
      const afterAt = positions[index]!;
      for (let low = 0; low < high; ) {
        const middle = (low + high) >>> 1;
        if (ends[middle]! < afterAt) low = middle + 1;
        else high = middle;
      }
      if (high < longest && ends[high] === afterAt) continue;
      ends[high] = afterAt;
      shortest[high] = chains.extend(high === 0 ? -1 : shortest[high - 1]!, at, afterAt);
      if (high === longest) longest++;
    }
  }
  return longest === 0 ? chains.read(-1, 0) : chains.read(shortest[longest - 1]!, longest);
}
