const maxSentenceLength = 400;

const codesOf = (marks: string) => new Set([...marks].map((mark) => mark.charCodeAt(0)));
const feeds = codesOf("\n\r\u2028\u2029\u0085");
const spaces = codesOf(" \t\u00a0\n\r\u2028\u2029\u0085");
/** Marks that always end a sentence (`< > |`), and those that end it before white space (`. ! ? ; :`). */
const endsAnywhere = codesOf("<>|…。！？；：");
const endsBeforeSpace = codesOf(".!?;:");
/** Closing marks that may occur between the end of a sentence and the white space. */
const closing = codesOf(`"'”’)]*_~`);

const isLetter = (unit: number) => (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);

/**
 * Letters, digits before a letter and non-ASCII characters can start a sentence; list marks, quotes, other digits and
 * brackets are skipped.
 */
function canStart(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit >= 48 && unit <= 57) return isLetter(text.charCodeAt(at + 1));
  return isLetter(unit) || (unit > 127 && !spaces.has(unit));
}

function isEnd(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (feeds.has(unit) || endsAnywhere.has(unit)) return true;
  if (!endsBeforeSpace.has(unit)) return false;
  let next = at + 1;
  while (next < at + 4 && closing.has(text.charCodeAt(next))) next++;
  return next >= text.length || spaces.has(text.charCodeAt(next));
}

/**
 * Yields the range of each sentence: the text between line ends, sentence marks and tags, from its first letter on, at most
 * `maxSentenceLength` long. Reads every character once.
 */
export function* sentencesOf(text: string): Generator<{ start: number; end: number }> {
  let start = -1;
  for (let at = 0; at <= text.length; at++) {
    // Reading beyond the end would make the engine compile this again and again.
    const unit = at < text.length ? text.charCodeAt(at) : 0;
    if (start < 0 && at < text.length && canStart(text, at)) start = at;
    // Fast path: most of a text is letters and spaces, which end nothing.
    if (start < 0 || unit === 32 || (unit >= 97 && unit <= 122) || (at < text.length && !isEnd(text, at))) continue;
    yield { start, end: Math.min(at, start + maxSentenceLength) };
    start = -1;
  }
}

/** Returns what a line has before and after a range, at most `reach` code units of each. */
export function lineAround(text: string, start: number, end: number, reach: number): { before: string; after: string } {
  const before = text.slice(Math.max(0, start - reach), start);
  const after = text.slice(end, end + reach);
  const feed = after.indexOf("\n");
  return { before: before.slice(before.lastIndexOf("\n") + 1), after: feed < 0 ? after : after.slice(0, feed) };
}
