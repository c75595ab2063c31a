/** Random choices of one run, from a seeded generator of numbers from 0 to 1. */
export class Choices {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** Returns a whole number from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}

/** Strings that programs tend to mishandle. */
export const hostileStrings = [
  ...["", " "],
  ..."0 -1 1e309 NaN 99999999999999999999 0x10 1.5 null undefined true [] {}".split(" "),
  ...["\0", "a\0b", "\u0001\u001f\u007f", "\ud800", "\ufeff", "\u202e", "é", "😀", "ﬀ", "İ", "a\r\nX-Injected: 1"],
  ...["'", "' OR 1=1 --", "\\", "$" + "{x}"],
  ..."% %00 %ff %2e%2e%2f ../../etc/passwd /etc/passwd {{7*7}} a,b a;b a&b=c".split(" "),
  ...["<script>alert(1)</script>", "__proto__", "constructor", "toString", "http://127.0.0.1/", "file:///etc/passwd"],
  ..."2026-13-45T99:99:99Z 0000-01-01T00:00:00Z +275760-09-13T00:00:00Z 2026-11-21".split(" "),
  ...["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "random", "x".repeat(3_000)],
];

/** JSON values that do not belong where they are put. */
export const hostileValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, [], {}, [[]], [null], { a: { b: {} } }],
  ...hostileStrings,
];

/** Returns JSON nested this deeply, as text. */
export function nestedJson(depth: number, [open, close]: readonly [string, string]): string {
  return open.repeat(depth) + close.repeat(depth);
}
