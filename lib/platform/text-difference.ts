/** A part of a text that differs, with a few words around it. */
export type TextChange = { before: string; after: string };

/** Texts of at most this length are shown whole, in characters. */
const maxWholeLength = 80;
/** Words, and the white space between them, shown on either side of a change. */
const contextCount = 6;
/** Longest part that is shown, in characters. */
const maxPartLength = 120;
/** Equal pieces after which a change is over, and pieces that are searched for them on either side. */
const resync = { count: 5, maxDistance: 120 };

/** Ranges of words that differ: from `a` to `aEnd` in the first text, from `b` to `bEnd` in the second one. */
type Hunk = { a: number; aEnd: number; b: number; bEnd: number };

function isSame(one: readonly string[], a: number, other: readonly string[], b: number): boolean {
  for (let index = 0; index < resync.count; index += 1) {
    if (one[a + index] !== other[b + index]) return false;
    if (one[a + index] === undefined) return true;
  }
  return true;
}

/** Returns where both texts go on equally after a difference, as near as possible; their ends if it is far away. */
function findResync(one: readonly string[], a: number, other: readonly string[], b: number): [number, number] {
  for (let distance = 1; distance <= resync.maxDistance; distance += 1) {
    for (let skipped = 0; skipped <= distance; skipped += 1) {
      const [nextA, nextB] = [a + skipped, b + distance - skipped];
      if (nextA <= one.length && nextB <= other.length && isSame(one, nextA, other, nextB)) return [nextA, nextB];
    }
  }
  return [one.length, other.length];
}

/** Returns the differing ranges; the search ends after more than `maxCount`. */
function findHunks(one: readonly string[], other: readonly string[], maxCount: number): Hunk[] {
  const hunks: Hunk[] = [];
  for (let a = 0, b = 0; (a < one.length || b < other.length) && hunks.length <= maxCount; ) {
    if (one[a] === other[b]) {
      a += 1;
      b += 1;
      continue;
    }
    const [aEnd, bEnd] = findResync(one, a, other, b);
    hunks.push({ a, aEnd, b, bEnd });
    [a, b] = [aEnd, bEnd];
  }
  const last = hunks.at(-1);
  // The words at the end that are equal although the texts never met again.
  while (last && last.aEnd > last.a && last.bEnd > last.b && one[last.aEnd - 1] === other[last.bEnd - 1]) {
    last.aEnd -= 1;
    last.bEnd -= 1;
  }
  return hunks;
}

/** Cuts a part to the text around a position. */
function cutAround(text: string, position: number): string {
  if (text.length <= maxPartLength) return text;
  const start = Math.max(0, Math.min(position - maxPartLength / 3, text.length - maxPartLength));
  const end = start + maxPartLength;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

function partOf(words: readonly string[], start: number, end: number): string {
  const from = Math.max(0, start - contextCount);
  const to = Math.min(words.length, end + contextCount);
  return `${from > 0 ? "…" : ""}${words.slice(from, to).join("").trim()}${to < words.length ? "…" : ""}`;
}

/** Returns the words of two texts, with the white space between them, and where they differ: up to `maxCount` ranges, and one more. */
export function compareWords(before: string, after: string, maxCount = Number.POSITIVE_INFINITY) {
  const wordsOf = (text: string): string[] => text.match(/\s+|\S+/g) ?? [];
  const [one, other] = [wordsOf(before), wordsOf(after)];
  return { one, other, hunks: findHunks(one, other, maxCount) };
}

/** Returns the parts of two texts that differ, word by word; short texts as one part. */
export function findTextChanges(before: string, after: string): TextChange[] {
  if (before.length <= maxWholeLength && after.length <= maxWholeLength) return [{ before, after }];
  const { one, other, hunks } = compareWords(before, after);
  return hunks.map(({ a, aEnd, b, bEnd }) => {
    const [was, is] = [partOf(one, a, aEnd), partOf(other, b, bEnd)];
    let index = 0;
    while (index < was.length && was[index] === is[index]) index += 1;
    return { before: cutAround(was, index), after: cutAround(is, index) };
  });
}
