import { randomInt } from "node:crypto";
import { childEnvironment } from "#lib/platform/config";
import { createRandom } from "#lib/replay/cassettes/index";

/** Returns a generator of numbers from 0 to 1, the same for the same seed. */
export const randomFrom = (seed: number): (() => number) => createRandom(seed).fraction;

/** Returns a generator of numbers from 0 to 1 and prints its seed. `TEST_SEED=<seed>` repeats a run. */
export function seededRandom(name: string): () => number {
  const seed = Number(childEnvironment().TEST_SEED ?? randomInt(2 ** 31));
  console.log(`${name}: TEST_SEED=${seed}`);
  return randomFrom(seed);
}
