import { cellsOf } from "../text/outline";
import { maxReadLineLength, nameOf, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { subjectOf } from "../text/subject";
import { datePattern } from "./announcements";
import type { ValueFact } from "./kinds";

const ending =
  /\b(?:deprecat\w*|retire\w*|sunset\w*|shut ?down\w*|end[- ]of[- ](?:life|support)|eol|removal|removed|no longer)\b/i;
const everyDate = new RegExp(datePattern, "gi");

/** Returns the only value of two lists of the same length that differs, as `[old, now]`. */
function movedOf(old: readonly string[], now: readonly string[]): [string, string] | undefined {
  const at = now.findIndex((value, index) => value !== old[index]);
  return at < 0 || old.length !== now.length ? undefined : [old[at]!, now[at]!];
}

/** Returns the date of an end that a line moves, with what ends: a name in code, or the subject of the line. */
export function readEnds(line: ReadLine): ValueFact[] {
  if (line.isCode) return [];
  const at = line.header?.findIndex((name) => ending.test(name)) ?? -1;
  const code = /`([^`]{2,80})`/.exec(line.text.slice(0, maxReadLineLength))?.[1];
  if (!line.partner) {
    const [now] = at < 0 ? [] : (cellsOf(line.text.slice(0, maxReadLineLength))[at]?.match(everyDate) ?? []);
    return now ? [{ kind: "end", line, subject: code ? nameOf(code) : subjectOf(line), old: "", now }] : [];
  }
  if (at < 0 && !ending.test(`${line.path} ${shownOf(line.text)}`)) return [];
  const datesOf = ({ text }: ReadLine) => shownOf(text).match(everyDate) ?? [];
  const moved = movedOf(datesOf(line.partner), datesOf(line));
  return moved
    ? [{ kind: "end", line, subject: code ? nameOf(code) : subjectOf(line), old: moved[0], now: moved[1] }]
    : [];
}
