import { jsonLength, shorten } from "#lib/contract/fit-json";
import { countLines } from "./compare/text-lines";

/** Most of a diff that an answer carries, in bytes of UTF-8. */
export const maxDiffTextByteSize = 64 * 1024;

/** How the last line of a cut diff begins: no line of a content does. */
const mark = "\\ Lines of this diff that are left out: ";
/** What is kept free for the last line. */
const markByteSize = 64;

const headerPattern = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/;

/** GNU's numbering: a range that has become empty is named by the line in front of it. */
function range(start: number, count: number, kept: number): string {
  return `${kept === 0 && count > 0 ? start - 1 : start},${kept}`;
}

/** A cut hunk whose header says what is left of it; empty where no line is. */
function mendHunk(hunk: string): string {
  const headerEnd = hunk.indexOf("\n") + 1;
  const match = headerPattern.exec(hunk);
  if (!match) return hunk;
  const [oldStart, oldCount, newStart, newCount] = match.slice(1).map(Number) as [number, number, number, number];
  const counts: Record<string, number> = { " ": 0, "-": 0, "+": 0, "\\": 0 };
  for (let at = headerEnd; at < hunk.length; at = hunk.indexOf("\n", at) + 1) counts[hunk[at]!]! += 1;
  const [both, removed, added] = [counts[" "]!, counts["-"]!, counts["+"]!];
  if (both + removed + added === 0) return "";
  const ranges = `-${range(oldStart, oldCount, both + removed)} +${range(newStart, newCount, both + added)}`;
  return `@@ ${ranges} @@${hunk.slice(match[0].length)}`;
}

/** Where to cut: at the last line end that fits, never between a line and the mark that its line feed is missing. */
function cutOf(text: string, byteSize: number): number {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(byteSize));
  const cut = read === 0 ? 0 : text.lastIndexOf("\n", read - 1) + 1;
  return text[cut] === "\\" && cut > 1 ? text.lastIndexOf("\n", cut - 2) + 1 : cut;
}

/**
 * A unified diff as an answer carries it: at most `maxDiffTextByteSize`. A longer one is cut at a line end, the
 * header of the cut hunk says what is left of the hunk, and a last line that begins with a backslash, which readers
 * of unified diffs pass over, says how many lines of the diff are left out.
 */
export function boundDiffText(text: string): string {
  if (text.length <= maxDiffTextByteSize && Buffer.byteLength(text) <= maxDiffTextByteSize) return text;
  const cut = cutOf(text, maxDiffTextByteSize - markByteSize);
  const hunkStart = text.lastIndexOf("\n@@ ", cut - 1) + 1;
  const kept = text.startsWith("@@ ", cut)
    ? text.slice(0, cut)
    : text.slice(0, hunkStart) + mendHunk(text.slice(hunkStart, cut));
  return `${kept}${mark}${countLines(text) - countLines(kept)}\n`;
}

/** Whether `boundDiffText` left something out of a diff. */
export function isBoundDiffText(text: string): boolean {
  return text.startsWith(mark, text.lastIndexOf("\n", text.length - 2) + 1);
}

/** Longest line of an excerpt, in characters. */
const maxLineLength = 400;

function shortenLine(line: string): string {
  if (line.length <= maxLineLength) return line;
  return line.endsWith("\n") ? `${shorten(line.slice(0, -1), maxLineLength - 1)}\n` : shorten(line, maxLineLength);
}

/** Characters of a text within a JSON string. */
const escapedLength = (text: string) => jsonLength(text) - '""'.length;

/**
 * The beginning of a unified diff for a model to read: whole lines that take at most `maxLength` characters of JSON,
 * long ones shortened. It is no patch any more where `isCut`.
 */
export function excerptDiffText(text: string, maxLength: number): { text: string; isCut: boolean } {
  let kept = "";
  let at = 0;
  let room = maxLength;
  let isCut = false;
  while (at < text.length) {
    const end = text.indexOf("\n", at) + 1 || text.length;
    const line = shortenLine(text.slice(at, end));
    room -= escapedLength(line);
    if (room < 0) return { text: kept, isCut: true };
    isCut ||= line.length < end - at;
    kept += line;
    at = end;
  }
  return { text: kept, isCut };
}
