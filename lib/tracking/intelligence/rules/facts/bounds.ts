import { maxReadLineLength, shownOf } from "../text/plain-text";
import type { ReadLine, ReadLines } from "../text/read-lines";

const amount = "(?<![\\w.])(?:\\d[\\d.,]*|two|three|four|five|six|seven|eight|nine|ten)\\b";
const word =
  "(?:up to|at (?:most|least)|limited to|max(?:imum)?(?: of| is)?|min(?:imum)?(?: of| is)?|(?:no |not )more than|(?:not|cannot) exceed|within|limits? (?:of|is|are|to)|(?:by )?defaults?(?: to| is)?)";
/** A limit or default with its number: `up to 50`, `limited to 10`, `length limits (2048`. */
const statement = new RegExp(`\\b${word}\\b[^.;]{0,30}?${amount}|\\blimits?\\b[^.;]{0,20}\\(\\d`, "i");

/** Most changed lines that are read for bounds: more are new content. */
const maxLineCount = 10;

/** Returns the added lines of text that state a limit or a default in a section that existed, where their older line stated none. */
export function readBounds({ added }: ReadLines, isWhole: (path: string) => boolean): ReadLine[] {
  if (added.length > maxLineCount) return [];
  const states = ({ text }: ReadLine) => statement.test(shownOf(text.slice(0, maxReadLineLength)));
  return added.filter((line) => {
    const { isCode, isMeta, path, partner } = line;
    return !isCode && !isMeta && !isWhole(path) && states(line) && !(partner && states(partner));
  });
}
