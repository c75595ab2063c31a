const lineFeed = 10;

/** Line feeds in `text` from `start` to `end` (not included), in UTF-16 code units. */
export function countLineFeeds(text: string, start = 0, end = text.length): number {
  let count = 0;
  for (let index = start; index < end; index++) if (text.charCodeAt(index) === lineFeed) count++;
  return count;
}

/**
 * Lines of a text, or of the range of it from `start` to `end` (not included): a line ends after its line feed, and the
 * last one may lack it. An empty text has none.
 */
export function countLines(text: string, start = 0, end = text.length): number {
  const isUnterminated = end > start && text.charCodeAt(end - 1) !== lineFeed;
  return countLineFeeds(text, start, end) + (isUnterminated ? 1 : 0);
}
