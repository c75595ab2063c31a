import { jsonLength, shorten } from "#lib/contract/fit-json";

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
