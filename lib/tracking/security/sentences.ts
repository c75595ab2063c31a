const maxSentenceLength = 400;

/**
 * Letters, digits before a letter and non-ASCII characters can start a sentence; list marks, quotes, other digits and
 * brackets are skipped.
 */
const starts = /[a-z]|\d(?=[a-z])|[^\0-\x7f\u0085\u00a0\u2028\u2029]/gi;
/** Line ends, marks that always end a sentence, and those that end it before white space, which closing marks can precede. */
const ends =
  /[\n\r\u2028\u2029\u0085<>|…。！？；：]|[.!?;:](?=["'”’)\]*_~]{0,3}(?:[ \t\u00a0\n\r\u2028\u2029\u0085]|$))/g;

/** Returns where a global pattern matches from `from` on; the end of the text if nowhere. */
function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}

/**
 * Yields the range of each sentence: the text between line ends, sentence marks and tags, from its first letter on, at most
 * `maxSentenceLength` long. Reads every character once.
 */
export function* sentencesOf(text: string): Generator<{ start: number; end: number }> {
  for (let at = 0; at < text.length; at++) {
    const start = find(starts, text, at);
    if (start === text.length) return;
    at = find(ends, text, start);
    yield { start, end: Math.min(at, start + maxSentenceLength) };
  }
}

/** Returns what a line has before and after a range, at most `reach` code units of each. */
export function lineAround(text: string, start: number, end: number, reach: number): { before: string; after: string } {
  const before = text.slice(Math.max(0, start - reach), start);
  const after = text.slice(end, end + reach);
  const feed = after.indexOf("\n");
  return { before: before.slice(before.lastIndexOf("\n") + 1), after: feed < 0 ? after : after.slice(0, feed) };
}
