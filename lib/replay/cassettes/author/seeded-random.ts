const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";

/** Numbers that look random and are the same for the same seed, on every machine. */
export type Random = {
  /** At least 0 and less than 1. */
  fraction(): number;
  /** A whole number, both bounds included. */
  integer(least: number, most: number): number;
  between(least: number, most: number): number;
  /** Nearer to the least than to the most, as network delays are. */
  skewed(least: number, most: number): number;
  chance(probability: number): boolean;
  letters(count: number): string;
  bytes(count: number): Buffer;
};

/**
 * Mulberry32 (Tommy Ettinger, public domain). It uses integer arithmetic and exact divisions alone,
 * so that no engine's rounding of `Math.log` or `Math.pow` can change a cassette's bytes.
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (least: number, most: number): number => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    integer,
    between: (least, most) => least + fraction() * (most - least),
    skewed: (least, most) => {
      const share = fraction();
      return least + share * share * (most - least);
    },
    chance: (probability) => fraction() < probability,
    letters: (count) => Array.from({ length: count }, () => letters[integer(0, letters.length - 1)]).join(""),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => integer(0, 255))),
  };
}
