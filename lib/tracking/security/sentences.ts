/** Length of a sentence up to which it is read, in UTF-16 code units. */
const maxSentenceLength = 400;

const isFeed = (unit: number) => unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029 || unit === 0x85;
const isSpace = (unit: number) => unit === 32 || unit === 9 || unit === 0xa0 || isFeed(unit);
/** Marks that always end a sentence (`< > |`), and those that end it before white space (`. ! ? ; :`). */
const endsAnywhere = new Set([..."<>|…。！？；："].map((mark) => mark.charCodeAt(0)));
const endsBeforeSpace = new Set([...".!?;:"].map((mark) => mark.charCodeAt(0)));
/** Closing marks that may occur between the end of a sentence and the white space. */
const closing = new Set([...`"'”’)]*_~`].map((mark) => mark.charCodeAt(0)));

const isLetter = (unit: number) => (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);

/**
 * Letters, digits before a letter and non-ASCII characters can start a sentence; list marks, quotes, other digits and
 * brackets are skipped.
 */
function canStart(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit >= 48 && unit <= 57) return isLetter(text.charCodeAt(at + 1));
  return isLetter(unit) || (unit > 127 && !isSpace(unit));
}

function isEnd(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (isFeed(unit) || endsAnywhere.has(unit)) return true;
  if (!endsBeforeSpace.has(unit)) return false;
  let next = at + 1;
  while (next < at + 4 && closing.has(text.charCodeAt(next))) next++;
  return next >= text.length || isSpace(text.charCodeAt(next));
}

/**
 * Calls `visit` with the range of each sentence: the text between line ends, sentence marks and tags, from its first
 * letter on, at most `maxSentenceLength` long. Reads every character once.
 */
export function visitSentences(text: string, visit: (start: number, end: number) => void): void {
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (start < 0 && canStart(text, at)) start = at;
    // Fast path: most of a text is letters and spaces, which end nothing.
    if (start < 0 || unit === 32 || (unit >= 97 && unit <= 122) || !isEnd(text, at)) continue;
    visit(start, Math.min(at, start + maxSentenceLength));
    start = -1;
  }
  if (start >= 0) visit(start, Math.min(text.length, start + maxSentenceLength));
}
