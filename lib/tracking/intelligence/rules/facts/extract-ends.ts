import { maxReadLineLength, nameOf, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { subjectOf } from "../text/subject";
import { datePattern } from "../text/wording";
import type { ValueFact } from "./value-fact";

const ending =
  /\b(?:deprecat\w*|retire\w*|sunset\w*|shut ?down\w*|end[- ]of[- ](?:life|support)|eol|removal|removed|no longer)\b/i;
const everyDate = new RegExp(datePattern, "gi");

const datesOf = (text: string) => shownOf(text.slice(0, maxReadLineLength)).match(everyDate) ?? [];

/** Returns the date of an end that a line moves, with what ends: a name in code, or the subject of the line. */
export function readEnds(line: ReadLine): ValueFact[] {
  if (!line.partner || line.isCode || !ending.test(`${line.path} ${shownOf(line.text)}`)) return [];
  const [old, now] = [datesOf(line.partner.text), datesOf(line.text)];
  if (old.length !== now.length) return [];
  const at = now.findIndex((date, index) => date !== old[index]);
  if (at < 0) return [];
  const code = /`([^`]{2,80})`/.exec(line.text.slice(0, maxReadLineLength))?.[1];
  return [{ kind: "end", line, subject: code ? nameOf(code) : subjectOf(line), old: old[at]!, now: now[at]! }];
}
