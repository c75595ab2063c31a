import { maxReadLineLength, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { subjectOf } from "../text/subject";
import { changedWords } from "../text/word-changes";
import { datePattern } from "../text/wording";
import type { ValueFact } from "./value-fact";
import { changedCells, planPath, planWord, quantityWord, subjectOfCount } from "./value-subjects";

const unit =
  "(?:[kmgt]i?b(?:ps)?|bytes?|ms|milliseconds?|secs?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|requests?|calls?|commands?|messages?|connections?|tokens?|characters?|users?|seats?|members?|projects?|keys?|files?|pages?|images?|items?|records?|retries|topics?|tps|rpm|rps|qps|ops|per \\w+)";
const quantity = new RegExp(
  `\\b\\d[\\d.,]{0,20}(?<![.,])(?:\\s?[kmb](?![a-z]))?(?:[ -]?${unit}\\b(?:\\s?(?:\\/|per)\\s?(?:\\d{1,4} )?\\w+|\\s(?:an?|each|every) [a-z]{2,20}\\b)?|\\s?\\/\\s?(?:s|sec|min|h|hr|second|minute|hour|day|month)\\b)?`,
  "gi",
);
const limitWord =
  /\b(?:limits?|limited|quotas?|max(?:imum)?|min(?:imum)?|up to|at most|at least|retention|retained|timeouts?|context|rate|concurren\w+|throughput|bandwidth|capacity|storage|sizes?|default|free|included|allowance)\b|\bper (?:second|minute|hour|day|month)\b/i;
const noNumber =
  /\bv?\d+\.\d+\.\d+\b|\b\d+(?:st|nd|rd|th)\b|[$€£¥]\s?\d[\d.,]*|\b20\d\d\b(?! (?:characters?|tokens?|requests?|words|users?|bytes?|ms|seconds?|messages?|calls?|items?|records?|files?)\b)|\b[a-z_]+-?\d[\w.-]*\b/gi;

const period = /^(?:per )?(?:second|minute|hour|day|week|month|year)\W?$/i;

/** Longest quantity that is shown. */
const maxQuantityLength = 40;

/** Units that are counted, other than sizes and times, and the words after a number without a unit: `5 custom webhooks`. */
const countedUnit =
  /^(?:requests?|calls?|commands?|messages?|connections?|users?|seats?|members?|projects?|keys?|files?|pages?|images?|items?|records?|retries|topics?)\b/i;
const followingNoun = /^ ((?:[a-z][a-z-]{1,30} ){0,2}?[a-z][a-z-]{1,30}s)(?: (?:per|an?|each) [a-z]+)?(?=[ .,;:)]|$)/;
const noNoun =
  /\b(?:and|or|is|are|was|has|does|of|to|in|on|at|by|for|from|with|as|if|than|plus|minus|times|this|its|vs|per cent)\b/;
/** Words instead of a number. */
const boundless = /^(?:unlimited|infinite|no limit|∞)$/i;
export const isBoundless = (value: string) => boundless.test(value);
/** Cells that say whether a row has something. */
const [yes, no] = [/^(?:yes|true|included|✅|✓|✔\ufe0f?|:white_check_mark:)$/i, /^(?:no|false|❌|✗|✘|✕|×|:x:|[-–—])$/i];

/** Returns what a cell says: whether it has something, or undefined if it says something else. */
export function answerOf(value: string): boolean | undefined {
  if (yes.test(value)) return true;
  return no.test(value) ? false : undefined;
}

/** A quantity, verbatim, its number, and the noun that the number counts, such as `requests per minute`; empty if there is none. */
type Quantity = { text: string; number: string; noun: string };

function nounOf(found: string, number: string, rest: string): string {
  const unit = found.slice(number.length).trim();
  if (unit !== "") return countedUnit.test(unit) && !unit.includes("/") ? unit.toLowerCase() : "";
  const noun = followingNoun.exec(rest.slice(0, 120))?.[0].trim() ?? "";
  return noNoun.test(noun) ? "" : noun;
}

/** Returns the quantities of a line as people read it; not dates, versions, prices and numbers in names. */
function quantitiesOf(text: string): Quantity[] {
  const blank = (found: string) => " ".repeat(found.length);
  const line = shownOf(text.slice(0, maxReadLineLength))
    .replace(noNumber, blank)
    .replace(new RegExp(datePattern, "gi"), blank);
  return [...line.matchAll(quantity)].flatMap((match) => {
    const found = match[0].replace(/\s+/g, " ").trim();
    if (found.length > maxQuantityLength) return [];
    const number = /^\d[\d.,]*(?:\s?[kmb](?![a-z]))?/i.exec(found)![0];
    return [{ text: found, number, noun: nounOf(found, number, line.slice(match.index + match[0].length)) }];
  });
}

/** Whether two quantities differ at most in spaces, case and the words around a unit: `5 calls/min` and `5/min`. */
function isSame(a: string, b: string): boolean {
  const [[, number = "", unit = ""], [, otherNumber, otherUnit = ""]] = [a, b].map(
    (text) => /^([\d.,]*)(.*)$/.exec(text.replace(/\s/g, "").toLowerCase())!,
  ) as [RegExpExecArray, RegExpExecArray];
  return (
    number === otherNumber &&
    (number === "" ? unit === otherUnit : unit.endsWith(otherUnit) || otherUnit.endsWith(unit))
  );
}

const hasUnit = ({ text }: Quantity) => /[a-z]/i.test(text);

/** Most limits of a line that are reported. */
const maxMoveCount = 3;

const isLimit = ({ text, path }: ReadLine, words: string) =>
  limitWord.test(words) || /\bmax/i.test(text) || /\b(?:limits?|quotas?)\b/i.test(path);

/** Returns the limits that the cells of a table row change. */
function readCells(line: ReadLine, cells: NonNullable<ReturnType<typeof changedCells>>): ValueFact[] {
  const valuesOf = (cell: string) => {
    const word = shownOf(cell);
    return isBoundless(word) ? [word] : quantitiesOf(cell).map(({ text }) => text);
  };
  return cells.flatMap(({ old, now, subject, isPlan }) => {
    const answers = [answerOf(old), answerOf(now)];
    if (!answers.includes(undefined) && answers[0] !== answers[1])
      return [{ kind: "limit" as const, line, subject, isPlan, old, now }];
    const [before, after] = [valuesOf(old), valuesOf(now)];
    const isRead =
      isPlan || planPath.test(line.path) || quantityWord.test(subject) || isLimit(line, shownOf(line.text));
    if (!isRead || before.length !== after.length) return [];
    const moves = after.map((value, index) => ({ old: before[index]!, now: value }));
    return moves
      .filter((move) => !isSame(move.old, move.now))
      .map((move) => ({ kind: "limit" as const, line, subject, isPlan, ...move }));
  });
}

/** Returns the period that replaces another in a line, such as `per day` by `per month`. */
function movedPeriod({ text, partner }: ReadLine): { old: string; now: string } | undefined {
  const { old, now } = changedWords(shownOf(partner!.text), shownOf(text));
  if (!period.test(old) || !period.test(now)) return undefined;
  const shown = (words: string) => `per ${words.replace(/^per |\W+$/g, "")}`;
  return { old: shown(old), now: shown(now) };
}

/** Returns the limits of prose and list entries whose numbers change, each with what it counts. */
function readCounts(line: ReadLine, isNamed: boolean): ValueFact[] {
  const [old, now] = [quantitiesOf(line.partner!.text), quantitiesOf(line.text)];
  if (old.length !== now.length) return [];
  return now.flatMap((found, index): ValueFact[] => {
    const before = old[index]!;
    const noun = before.noun === found.noun ? found.noun : "";
    if (isSame(found.text, before.text) || (noun === "" && !isNamed)) return [];
    const named = subjectOfCount(line, noun, found.text);
    // The noun is not said again after the number.
    const isSaid = noun !== "" && named.subject.toLowerCase().startsWith(noun);
    // A label before the number does not say what is counted: `Rate limits: 600 jobs`.
    const shown = ({ text }: Quantity) =>
      noun === "" || `${named.subject} ${text}`.toLowerCase().includes(noun) ? text : `${text} ${noun}`;
    const values = isSaid ? { old: before.number, now: found.number } : { old: shown(before), now: shown(found) };
    return [{ kind: "limit", line, ...named, ...values }];
  });
}

/** Returns the limits and quotas that a line changes, or that a new row of a table adds. */
export function readLimits(line: ReadLine): ValueFact[] {
  const { text, path, partner, isCode } = line;
  if (isCode) return [];
  const shown = shownOf(text);
  const isNamed = isLimit(line, shown);
  if (!partner) {
    const now = isNamed && text.trimStart().startsWith("|") && line.links.length === 0 ? quantitiesOf(text) : [];
    const added = now.slice(0, maxMoveCount).map((found) => found.text);
    return now.some(hasUnit) ? [{ kind: "limit", line, subject: subjectOf(line), old: "", now: added.join(", ") }] : [];
  }
  const moved = isNamed ? movedPeriod(line) : undefined;
  if (moved) return [{ kind: "limit", line, subject: subjectOf(line), ...moved }];
  const cells = changedCells(line);
  // A number on a plan is a limit if it counts something.
  const isRead = isNamed || planWord.test(`${shown} ${path}`);
  return (cells ? readCells(line, cells) : isRead ? readCounts(line, isNamed) : []).slice(0, maxMoveCount);
}
