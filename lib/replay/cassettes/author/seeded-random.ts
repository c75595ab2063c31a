const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";

/** Pseudo-random values that are the same for the same seed on every machine. */
export type Random = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number;
  /** Returns a whole number; both bounds are included. */
  integer(minimum: number, maximum: number): number;
  between(minimum: number, maximum: number): number;
  /** Returns a number that tends towards the minimum, like network delays. */
  skewed(minimum: number, maximum: number): number;
  chance(probability: number): boolean;
  letters(count: number): string;
  bytes(count: number): Buffer;
};

/**
 * Returns a Mulberry32 generator (Tommy Ettinger, public domain). It uses only integer arithmetic and exact divisions,
 * because engines may round `Math.log` and `Math.pow` differently, which would change a cassette's bytes.
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (minimum: number, maximum: number): number =>
    minimum + Math.floor(fraction() * (maximum - minimum + 1));
  return {
    fraction,
    integer,
    between: (minimum, maximum) => minimum + fraction() * (maximum - minimum),
    skewed: (minimum, maximum) => {
      const share = fraction();
      return minimum + share * share * (maximum - minimum);
    },
    chance: (probability) => fraction() < probability,
    letters: (count) => Array.from({ length: count }, () => letters[integer(0, letters.length - 1)]).join(""),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => integer(0, 255))),
  };
}
