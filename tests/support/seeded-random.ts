import { randomInt } from "node:crypto";
import { childEnvironment } from "#lib/platform/config";

/** Returns a generator of numbers from 0 to 1, the same for the same seed. Mulberry32, by Tommy Ettinger (public domain). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a generator of numbers from 0 to 1 and prints its seed. `TEST_SEED=<seed>` repeats a run. */
export function seededRandom(name: string): () => number {
  const seed = Number(childEnvironment().TEST_SEED ?? randomInt(2 ** 31));
  console.log(`${name}: TEST_SEED=${seed}`);
  return randomFrom(seed);
}
