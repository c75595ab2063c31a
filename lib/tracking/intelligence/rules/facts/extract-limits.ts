import { maxReadLineLength, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { subjectOf } from "../text/subject";
import { changedWords } from "../text/word-changes";
import { datePattern } from "../text/wording";
import type { ValueFact } from "./value-fact";

const unit =
  "(?:[kmgt]i?b(?:ps)?|bytes?|ms|milliseconds?|secs?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|requests?|calls?|commands?|messages?|connections?|tokens?|characters?|users?|seats?|members?|projects?|keys?|files?|pages?|images?|items?|records?|retries|topics?|tps|rpm|rps|qps|ops|per \\w+)";
const quantity = new RegExp(
  `\\b\\d[\\d.,]{0,20}(?<![.,])(?:\\s?[kmb](?![a-z]))?(?:[ -]?${unit}\\b(?:\\s?(?:\\/|per)\\s?\\w+)?)?`,
  "gi",
);
const limitWord =
  /\b(?:limits?|limited|quotas?|max(?:imum)?|min(?:imum)?|up to|at most|at least|retention|retained|timeouts?|context|rate|concurren\w+|throughput|bandwidth|capacity|storage|sizes?|default|free|included|allowance)\b|\bper (?:second|minute|hour|day|month)\b/i;
const noNumber = /\bv?\d+\.\d+\.\d+\b|\b\d+(?:st|nd|rd|th)\b|[$€£¥]\s?\d[\d.,]*|\b20\d\d\b|\b[a-z_]+-?\d[\w.-]*\b/gi;

const period = /^(?:per )?(?:second|minute|hour|day|week|month|year)\W?$/i;

/** Longest quantity that is shown. */
const maxQuantityLength = 40;

/** Returns the quantities of a line, verbatim; not dates, versions, prices and numbers in names. */
export function quantitiesOf(text: string): string[] {
  const line = shownOf(text.slice(0, maxReadLineLength)).replace(noNumber, " ");
  return (line.replace(new RegExp(datePattern, "gi"), " ").match(quantity) ?? [])
    .map((found) => found.replace(/\s+/g, " ").trim())
    .filter((found) => found.length <= maxQuantityLength);
}

const hasUnit = (found: string) => /[a-z]/i.test(found);

/** Returns the limits and quotas that a line changes, or that a new row of a table adds. */
export function readLimits(line: ReadLine): ValueFact[] {
  if (line.isCode) return [];
  const isLimit =
    limitWord.test(shownOf(line.text)) || /\bmax/i.test(line.text) || /\b(?:limits?|quotas?)\b/i.test(line.path);
  if (!isLimit) return [];
  const now = quantitiesOf(line.text);
  const subject = subjectOf(line);
  const fact = { kind: "limit" as const, line, subject };
  if (!line.partner) {
    const isRow = line.text.trimStart().startsWith("|") && now.some(hasUnit) && line.links.length === 0;
    return isRow ? [{ ...fact, old: "", now: now.slice(0, 3).join(", ") }] : [];
  }
  const words = changedWords(shownOf(line.partner.text), shownOf(line.text));
  if (period.test(words.old) && period.test(words.now)) {
    const [from, to] = [words.old, words.now].map((word) => `per ${word.replace(/^per |\W+$/g, "")}`) as [
      string,
      string,
    ];
    return [{ ...fact, old: from, now: to }];
  }
  const old = quantitiesOf(line.partner.text);
  if (old.length !== now.length) return [];
  const moves = now.flatMap((found, index) =>
    found === old[index] ? [] : [{ ...fact, old: old[index]!, now: found }],
  );
  return moves.length <= 3 ? moves : moves.slice(0, 3);
}
