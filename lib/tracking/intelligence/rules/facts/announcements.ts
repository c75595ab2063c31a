import {
  type Announcement,
  announcementsIn,
  datesIn,
  deniesEnd,
  endsIn,
  lineKey,
  maxReadLineLength,
  nameOf,
  plainOf,
  shownOf,
} from "#lib/tracking/wording/index";
import { cellsOf } from "../text/outline";
import type { ReadLine, Sides } from "../text/read-lines";
import { subjectOf } from "../text/subject";
import { changedWords, isCorrection } from "../text/words";
import type { ValueFact } from "./kinds";

export type LineAnnouncement = Announcement & { line: ReadLine };

/** A notice that the page includes from another file: `<DeprecationNotice />`, `{% include "deprecation.md" %}`. */
const includedNotice =
  /^\s{0,8}(?:<(?:[A-Z]\w*)?Deprecat|(?:\{[{%!][^{}]{0,200}|include::\S{0,200})[Dd]eprecat[^{}/]{0,60}(?:\}|$))/;
const helpLine = /^\s{0,8}(?:-\w, )?--[\w-]{2,40}\s/;

/** Whether a text already stated an end, with all of some dates. */
const hasEnd = (text: string, dates: readonly string[]) =>
  endsIn(text).length > 0 && dates.every((date) => datesIn(text).includes(date));

/** Whether a line states an end and differs from the older one in dates alone. */
function isMovedEnd({ text, partner }: ReadLine): boolean {
  const [old, now] = [shownOf(partner?.text ?? ""), shownOf(text)];
  const withoutDates = (line: string) => datesIn(line).reduce((rest, date) => rest.replace(date, "#"), line);
  return old !== now && withoutDates(old) === withoutDates(now) && endsIn(text).some(({ isDatedEnd }) => isDatedEnd);
}

/** Returns what added lines announce. A line that the older version has elsewhere, such as a row of another table, announces nothing. */
export function readAnnouncements({ added, removed }: Sides, older: string): LineAnnouncement[] {
  const lost = new Map<string, string>();
  for (const { path, text, partner } of removed) if (!partner) lost.set(path, `${lost.get(path) ?? ""} ${text}`);
  let keys: ReadonlySet<string> | undefined;
  const isCopied = ({ line }: LineAnnouncement) => {
    keys ??= new Set(older.split("\n").map(lineKey));
    return keys.has(line.key);
  };
  const found = added.flatMap((line): LineAnnouncement[] => {
    if (line.isMeta ? /^deprecated:\s*true\b/i.test(line.text) : includedNotice.test(line.text))
      return [{ kind: "deprecation", line, sentence: line.text.trim(), isDatedEnd: false }];
    // The help text of a command is prose.
    if ((line.isCode && !helpLine.test(line.text)) || line.isMeta) return [];
    const replaced = line.partner ? plainOf(line.partner.text) : (lost.get(line.path) ?? "");
    if (line.partner && (isMovedEnd(line) || isCorrection(shownOf(line.partner.text), shownOf(line.text)))) return [];
    const found = announcementsIn(line.text, { replaced, text: older }).map((each) => ({ ...each, line }));
    return found.some(({ isDatedEnd }) => isDatedEnd) && hasEnd(replaced, datesIn(shownOf(line.text)))
      ? found.filter(({ kind }) => kind !== "deprecation")
      : found;
  });
  return found.filter((announcement) => !isCopied(announcement));
}

const ending =
  /\b(?:deprecat\w*|retire\w*|sunset\w*|shut ?down\w*|end[- ]of[- ](?:life|support)|eol|removal|removed|no longer)\b/i;

/**
 * Returns the date of an end that a line denies, or instead of which it says something else of the same thing; empty for a denied end
 * without a date, undefined if none is withdrawn.
 */
function withdrawnDate({ text }: ReadLine, partner: ReadLine): string | undefined {
  const [old, now] = [shownOf(partner.text), shownOf(text)];
  const [ends, date = ""] = [endsIn(partner.text), ...datesIn(old)];
  if (ends.length === 0 || datesIn(now).length > 0) return undefined;
  const isOver = endsIn(text).length === 0;
  const isDenied = deniesEnd(text) && !deniesEnd(partner.text);
  if (!date || !ends.some(({ isDatedEnd }) => isDatedEnd)) return isDenied && isOver ? "" : undefined;
  const change = changedWords(old, now);
  return isDenied || (isOver && change.now !== "" && !change.isWhole) ? date : undefined;
}

/** Returns the time of a date, however it is written; NaN without a year, as two such dates are never the same. */
const dayOf = (date: string) =>
  /\d{4}/.test(date) ? Date.parse(`${date.replace(/(?<=\d)(?:st|nd|rd|th)\b| of\b/gi, "")} UTC`) : Number.NaN;

/** Returns the first name in code, or the first operation, of a line. */
function namedIn(text: string): string | undefined {
  const [name, code = name] = /`([^`]{2,80})`|\b(?:GET|POST|PUT|PATCH|DELETE) \/[\w{}:./-]{1,120}/.exec(text) ?? [];
  return code && nameOf(code);
}

/** Returns the date of an end that a line moves or withdraws, or that a new row of a table has, with what ends. */
export function readEnds(line: ReadLine): ValueFact[] {
  if (line.isCode) return [];
  const at = line.header?.findIndex((name) => ending.test(name)) ?? -1;
  const text = line.text.slice(0, maxReadLineLength);
  const isOnEnd = line.partner && (ending.test(`${line.path} ${shownOf(text)}`) || isMovedEnd(line));
  const withdrawn = line.partner ? withdrawnDate(line, line.partner) : undefined;
  const subject = namedIn(text) ?? subjectOf(line);
  if (withdrawn !== undefined) return [{ kind: "end", line, subject, old: withdrawn, now: "" }];
  if (at < 0 && !isOnEnd) return [];
  const datesOf = (each: string) => datesIn(shownOf(each));
  const [old, dates] = [datesOf(line.partner?.text ?? ""), datesOf(line.partner ? text : (cellsOf(text)[at] ?? ""))];
  const isSameDay = (date: string, other = "") => date === other || dayOf(date) === dayOf(other);
  const now = dates.find((date, index) => !isSameDay(date, old[index]));
  if (now === undefined || (line.partner && old.length !== dates.length)) return [];
  return [{ kind: "end", line, subject, old: old[dates.indexOf(now)] ?? "", now }];
}
