import { capitalize, datePattern, lowerArticle, maxReadLineLength, shownOf } from "#lib/tracking/wording/index";
import type { ReadLine } from "../text/read-lines";
import {
  changedCells,
  clauseOf,
  clauseWith,
  entryOf,
  isPlan,
  lastNameOf,
  planWord,
  quantityWord,
} from "../text/subject";
import type { ValueFact } from "./kinds";

const counted =
  "requests?|calls?|commands?|messages?|connections?|tokens?|characters?|users?|seats?|members?|projects?|keys?|files?|pages?|images?|items?|records?|retries|topics?";
const unit = `(?:[kmgt]i?b(?:ps)?|bytes?|ms|milliseconds?|secs?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|${counted}|tps|rpm|rps|qps|ops|per \\w+)`;
const rate = "(?:\\s?(?:\\/|per)\\s?(?:\\d{1,4} )?\\w+|\\s(?:an?|each|every) [a-z]{2,20}\\b)";
const quantity = new RegExp(
  `\\b(\\d[\\d.,]{0,20}(?<![.,])(?:\\s?[kmb](?![a-z]))?)([ -]?${unit}\\b${rate}?|\\s?\\/\\s?(?:s|sec|min|h|hr|second|minute|hour|day|month)\\b)?`,
  "gi",
);
const countedUnit = new RegExp(`^(?:${counted})\\b[^/]*$`, "i");
const limitWord =
  /\b(?:limits?|limited|quotas?|max(?:imum)?|min(?:imum)?|up to|at most|at least|retention|retained|timeouts?|context|rate|concurren\w+|throughput|bandwidth|capacity|storage|sizes?|default|free|included|allowance)\b|\bper (?:second|minute|hour|day|month)\b/i;
/** What says that more is not allowed, and what says otherwise. */
const maximumWord = /\b(?:limit(?:s|ed)?|quotas?|max(?:imum)?|up to|at most|no more than|can have)\b/i;
const noMaximumWord = /\b(?:min(?:imum)?|at least|defaults?|expires?|timeouts?|retries)\b/i;
const noNumber =
  /\bv?\d+\.\d+\.\d+\b|\b\d+(?:st|nd|rd|th)\b|[$€£¥]\s?\d[\d.,]*|\b20\d\d\b(?! (?:characters?|tokens?|requests?|words|users?|bytes?|ms|seconds?|messages?|calls?|items?|records?|files?)\b)|\b[a-z_]+-?\d[\w.-]*\b/gi;
const [maxQuantityLength, maxMoveCount] = [40, 3];
/** The words after a number without a unit: `5 custom webhooks`. */
const followingNoun =
  /^ ((?:[a-z][a-z-]{1,30} ){0,2}?[a-z][a-z-]{0,30}[a-rt-z]s)(?: (?:per|an?|each) [a-z]+)?(?=[ .,;:)]|$)/;
const noNoun = /\b(?:and|or|is|are|was|has|does|of|to|in|on|at|by|for|from|with|as|if|than|plus|times|this|its|vs)\b/;
const boundless = /^(?:unlimited|infinite|no limit|∞)$/i;
/** Cells that say whether a row has something. */
const [yes, no] = [/^(?:yes|true|included|✅|✓|✔\ufe0f?|:white_check_mark:)$/i, /^(?:no|false|❌|✗|✘|✕|×|:x:|[-–—])$/i];

/** Returns what a cell says: whether it has something, or undefined if it says something else. */
export const answerOf = (value: string): boolean | undefined =>
  yes.test(value) ? true : no.test(value) ? false : undefined;

/** Returns the number that a value begins with; `16k` is 16,000, and "unlimited" infinite. Undefined if there is none. */
export function numberOf(value: string): number | undefined {
  if (boundless.test(value)) return Number.POSITIVE_INFINITY;
  const [, digits, factor = ""] = /(\d[\d.,]*)\s?([kmb](?!\w))?/i.exec(value) ?? [];
  const plain = digits?.replace(/[.,]+$|,(?=\d{3}\b)/g, "").replace(",", ".");
  return plain === undefined ? undefined : Number(plain) * ({ k: 1e3, m: 1e6, b: 1e9 }[factor.toLowerCase()] ?? 1);
}

/** A quantity, verbatim, its number, and the noun that the number counts, such as `requests per minute`; empty if there is none. */
type Quantity = { text: string; number: string; noun: string };

function quantitiesOf(text: string): Quantity[] {
  const blank = (found: string) => " ".repeat(found.length);
  const line = shownOf(text.slice(0, maxReadLineLength))
    .replace(noNumber, blank)
    .replace(new RegExp(datePattern, "gi"), blank);
  const found = [...line.matchAll(quantity)].map(({ index, 0: whole, 1: number, 2: own = "" }) => {
    const next = followingNoun.exec(line.slice(index + whole.length, index + whole.length + 120))?.[0].trim() ?? "";
    const noun =
      own === "" ? (noNoun.test(next) ? "" : next) : countedUnit.test(own.trim()) ? own.trim().toLowerCase() : "";
    return { text: whole.trim(), number: number!.trim(), noun };
  });
  return found.filter(({ text: each }) => each.length <= maxQuantityLength);
}

/** Whether two quantities differ at most in spaces, case and the words around a unit: `5 calls/min` and `5/min`. */
function isSame(a: string, b: string): boolean {
  const unitOf = (text: string) => text.toLowerCase().replace(/^[\d.,\s]+|\s/g, "");
  return numberOf(a) === numberOf(b) && (unitOf(a).endsWith(unitOf(b)) || unitOf(b).endsWith(unitOf(a)));
}

/** Verbs before what something has; after others, the number is the size of the subject itself. */
const ownership = /^(?:has|have|had|includes?|contains?|allows?|supports?|covers?|gets?|offers?|can)$/i;

/** Returns what a number counts: its noun, with the plan or thing that has it. */
function subjectOfCount(line: ReadLine, noun: string, value: string): { subject: string; isPlan: boolean } {
  const [entry, section] = [entryOf(line), lastNameOf(line.path)];
  const { words, verb } = clauseOf(line, value);
  const owner = entry || (ownership.test(verb) ? words : "") || (noun !== "" && isPlan(section) ? section : "");
  if (owner !== "" && (isPlan(owner) || (entry !== "" && /\b(?:plans?|tiers?|pricing)\b/i.test(line.path)))) {
    const plan = planWord.test(owner) ? lowerArticle(owner) : `the ${owner} plan`;
    return { subject: capitalize(noun ? `${noun} on ${plan}` : plan), isPlan: true };
  }
  const isOwned = noun !== "" && owner !== "" && !quantityWord.test(owner);
  const own = isOwned ? capitalize(`${noun} for ${lowerArticle(owner)}`) : entry || words;
  return {
    subject: own || capitalize(noun) || (section && `A limit under ${section}`),
    isPlan: !isOwned && isPlan(own),
  };
}

/** Returns the limits and quotas that an added line changes, each with what it counts. */
export function readLimits(line: ReadLine): ValueFact[] {
  const { text, path, partner, isCode } = line;
  if (isCode || !partner) return [];
  const shown = shownOf(text);
  const isNamed = limitWord.test(shown) || /\bmax/i.test(text) || /\b(?:limits?|quotas?)\b/i.test(path);
  const moves = (old: readonly Quantity[], now: readonly Quantity[]) =>
    old.length === now.length
      ? now.map((to, index) => ({ from: old[index]!, to })).filter(({ from, to }) => !isSame(from.text, to.text))
      : [];
  const valuesOf = (cell: string) => {
    const word = shownOf(cell);
    return boundless.test(word) ? [{ text: word, number: word, noun: "" }] : quantitiesOf(cell);
  };
  const isMaximumOf = (about: string, { from, to }: { from: Quantity; to: Quantity }) =>
    maximumWord.test(about) &&
    !noMaximumWord.test(about) &&
    from.text.replace(from.number, "").trim() === to.text.replace(to.number, "").trim();
  const ofCells = changedCells(line)?.flatMap(({ old, now, subject, isPlan }): ValueFact[] => {
    const fact = { kind: "limit" as const, line, subject, isPlan };
    const [was, is] = [answerOf(old), answerOf(now)];
    if (was !== undefined && is !== undefined && was !== is) return [{ ...fact, old, now }];
    if (!isPlan && !isNamed && !quantityWord.test(subject)) return [];
    return moves(valuesOf(old), valuesOf(now)).map((move) => {
      // A maximum of plain numbers is often a measurement.
      const isLimit = move.from.text !== move.from.number || /\b(?:limits?|quotas?)\b/i.test(subject);
      const isMaximum = isLimit && isMaximumOf(`${subject} ${lastNameOf(path)}`, move);
      return { ...fact, old: move.from.text, now: move.to.text, isMaximum };
    });
  });
  if (ofCells) return ofCells.slice(0, maxMoveCount);
  const isRead = isNamed || planWord.test(`${shown} ${path}`);
  const facts = moves(isRead ? quantitiesOf(partner.text) : [], isRead ? quantitiesOf(text) : []).flatMap(
    (move): ValueFact[] => {
      const { from, to } = move;
      const noun = from.noun === to.noun ? to.noun : "";
      if (noun === "" && !isNamed) return [];
      const named = subjectOfCount(line, noun, to.text);
      const start = named.subject.toLowerCase();
      // The noun is not said again after the number.
      const shownValue = ({ text: whole, number }: Quantity) => {
        if (noun !== "" && start.startsWith(noun)) return number;
        return `${start} ${whole}`.includes(noun) ? whole : `${whole} ${noun}`;
      };
      const isMaximum = isMaximumOf(`${lastNameOf(path)} ${clauseWith(line, to.text)}`, move);
      return [{ kind: "limit", line, ...named, old: shownValue(from), now: shownValue(to), isMaximum }];
    },
  );
  return facts.slice(0, maxMoveCount);
}
