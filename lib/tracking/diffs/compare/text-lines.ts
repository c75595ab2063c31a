const lineFeed = 10;

/** Returns the number of line feeds in `text` from `start` up to but not including `end`, in UTF-16 code units. */
export function countLineFeeds(text: string, start = 0, end = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/**
 * Returns the number of lines of a text, or of its range from `start` up to but not including `end`. A line ends after
 * its line feed; the last one may lack it. An empty text has no lines.
 */
export function countLines(text: string, start = 0, end = text.length): number {
  const isUnterminated = end > start && text.charCodeAt(end - 1) !== lineFeed;
  return countLineFeeds(text, start, end) + (isUnterminated ? 1 : 0);
}

/**
 * The part of two texts without their common lines at both ends, as ranges of UTF-16 code units. Each range starts at a
 * line start.
 */
export type ChangedWindow = {
  before: { start: number; end: number };
  after: { start: number; end: number };
  /** Equal lines before the window. */
  skippedLineCount: number;
};

function commonPrefixLength(before: string, after: string): number {
  const limit = Math.min(before.length, after.length);
  let length = 0;
  while (length < limit && before.charCodeAt(length) === after.charCodeAt(length)) length++;
  return length;
}

/** Returns the length of the common end of both texts, not counting their first `start` code units. */
function commonSuffixLength(before: string, after: string, start: number): number {
  const limit = Math.min(before.length, after.length) - start;
  let length = 0;
  while (
    length < limit &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  ) {
    length++;
  }
  return length;
}

/** Returns the start of the line that is `lineCount` lines before the line start `at`, or 0. */
export function linesBack(text: string, at: number, lineCount: number): number {
  let start = at;
  for (let count = 0; count < lineCount && start > 0; count++) {
    start = start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  }
  return start;
}

/** Returns the end, including the line feed, of the `lineCount`th line from the line start `at`, or the text's end. */
export function linesOn(text: string, at: number, lineCount: number): number {
  let end = at;
  for (let count = 0; count < lineCount && end < text.length; count++) {
    const newline = text.indexOf("\n", end);
    end = newline < 0 ? text.length : newline + 1;
  }
  return end;
}

/** Returns two different texts' ranges without their common lines at both ends. */
export function findChangedWindow(before: string, after: string): ChangedWindow {
  const prefix = commonPrefixLength(before, after);
  const start = prefix === 0 ? 0 : before.lastIndexOf("\n", prefix - 1) + 1;
  let suffix = commonSuffixLength(before, after, start);
  const startsLine = (text: string, at: number) => at === start || text.charCodeAt(at - 1) === lineFeed;
  while (suffix > 0 && !(startsLine(before, before.length - suffix) && startsLine(after, after.length - suffix))) {
    suffix--;
  }
  return {
    before: { start, end: before.length - suffix },
    after: { start, end: after.length - suffix },
    skippedLineCount: countLineFeeds(before, 0, start),
  };
}
