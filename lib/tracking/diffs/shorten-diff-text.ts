import { jsonLength, shorten } from "#lib/contract/fit-json";
import { countLines } from "./compare/text-lines";

/** Largest diff in a response, in bytes of UTF-8. */
export const maxDiffTextByteSize = 64 * 1024;

/** Start of the last line of a truncated diff. No line of content starts with a backslash. */
const omissionMark = "\\ Lines omitted from this diff: ";
/** Bytes reserved for the last line. */
const omissionByteSize = 64;

const headerPattern = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/;

/** Formats a range as GNU diff does: an empty range is named by the line before it. */
function formatRange(start: number, count: number, kept: number): string {
  return `${kept === 0 && count > 0 ? start - 1 : start},${kept}`;
}

/** Returns a truncated hunk with its header adjusted to the remaining lines; empty if there are none. */
function adjustHunkHeader(hunk: string): string {
  const headerEnd = hunk.indexOf("\n") + 1;
  const match = headerPattern.exec(hunk);
  if (!match) return hunk;
  const [oldStart, oldCount, newStart, newCount] = match.slice(1).map(Number) as [number, number, number, number];
  const counts: Record<string, number> = { " ": 0, "-": 0, "+": 0, "\\": 0 };
  for (let at = headerEnd; at < hunk.length; at = hunk.indexOf("\n", at) + 1) counts[hunk[at]!]! += 1;
  const [both, removed, added] = [counts[" "]!, counts["-"]!, counts["+"]!];
  if (both + removed + added === 0) return "";
  const oldRange = formatRange(oldStart, oldCount, both + removed);
  const ranges = `-${oldRange} +${formatRange(newStart, newCount, both + added)}`;
  return `@@ ${ranges} @@${hunk.slice(match[0].length)}`;
}

/** Returns the last line end that fits, but never one between a line and its "No newline" mark. */
function findCut(text: string, byteSize: number): number {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(byteSize));
  const cut = read === 0 ? 0 : text.lastIndexOf("\n", read - 1) + 1;
  return text[cut] === "\\" && cut > 1 ? text.lastIndexOf("\n", cut - 2) + 1 : cut;
}

/**
 * Returns a unified diff of at most `maxDiffTextByteSize`. A longer one is cut at a line end: the header of the last
 * hunk is adjusted, and a final line says how many lines are omitted. It starts with a backslash, so that readers of
 * unified diffs skip it.
 */
export function truncateDiffText(text: string): string {
  if (text.length <= maxDiffTextByteSize && Buffer.byteLength(text) <= maxDiffTextByteSize) return text;
  const cut = findCut(text, maxDiffTextByteSize - omissionByteSize);
  const hunkStart = text.lastIndexOf("\n@@ ", cut - 1) + 1;
  const kept = text.startsWith("@@ ", cut)
    ? text.slice(0, cut)
    : text.slice(0, hunkStart) + adjustHunkHeader(text.slice(hunkStart, cut));
  return `${kept}${omissionMark}${countLines(text) - countLines(kept)}\n`;
}

/** Whether `truncateDiffText` omitted lines of a diff. */
export function isTruncatedDiffText(text: string): boolean {
  return text.startsWith(omissionMark, text.lastIndexOf("\n", text.length - 2) + 1);
}

/** Longest line of an excerpt, in characters. */
const maxLineLength = 400;

function shortenLine(line: string): string {
  if (line.length <= maxLineLength) return line;
  return line.endsWith("\n") ? `${shorten(line.slice(0, -1), maxLineLength - 1)}\n` : shorten(line, maxLineLength);
}

/** Returns the length of a text within a JSON string. */
const escapedLength = (text: string) => jsonLength(text) - '""'.length;

/**
 * Returns the beginning of a unified diff for a model: complete lines of at most `maxLength` characters of JSON in
 * total, long lines shortened. If `isCut`, it can no longer be applied as a patch.
 */
export function excerptDiffText(text: string, maxLength: number): { text: string; isCut: boolean } {
  let kept = "";
  let at = 0;
  let remaining = maxLength;
  let isCut = false;
  while (at < text.length) {
    const end = text.indexOf("\n", at) + 1 || text.length;
    const line = shortenLine(text.slice(at, end));
    remaining -= escapedLength(line);
    if (remaining < 0) return { text: kept, isCut: true };
    isCut ||= line.length < end - at;
    kept += line;
    at = end;
  }
  return { text: kept, isCut };
}
