import { datePattern, maxReadLineLength, shownOf, splitSentences } from "#lib/tracking/wording/index";
import type { ReadLine } from "../text/read-lines";
import { changedCells } from "../text/subject";
import type { ValueFact } from "./kinds";

/** The name of a parameter at the start of a line: in code, or in lower case with its range right after a colon or in a cell. */
const parameter =
  /^\s{0,12}(?:[-*+|]\s+)?(?:\*\*)?(?:`([\w.[\]-]{2,60})`|([a-z][\w.[\]-]{1,60})(?=(?:\*\*)?(?::| \|)\s?["“]?(?:between |from )?-?\d))/;
/** A range without a unit: `0 to 2`, `0–2`, `between 0 and 2`. With a unit it often estimates, as `2 to 5 days`. */
const range =
  /(?<![\w.:/-]|\d,)(-?\d{1,9}(?:\.\d{1,6})?)\s?(?:to|–|-|\.{2,3}|(?<=\bbetween \S{1,17} )and)\s?(-?\d{1,9}(?:\.\d{1,6})?)(?![\w:/-]|[.,]\d|\s?(?:%|\p{L}))/gu;
const product = String.raw`(\p{Lu}[\w.+#-]{0,40})`;
const number = String.raw`v?(\d{1,4}(?:\.\d{1,4}){0,3})(?![\w-]|[.,]\d)`;
/** Minimum versions in a sentence, each after the name of a product. A number before a unit is not a version. */
const minimums = [
  `${product} (?:version )?${number}(?:\\+| (?:or|and) (?:later|newer|higher|above|greater|up)\\b)`,
  String.raw`([\w.+#-]{1,41}) ?(?:>=|≥) ?${number}`,
  String.raw`\b(?:[Rr]equires?|[Nn]eeds?|[Mm]inimum|[Pp]rerequisites?):? (?:at least )?${product} (?:version )?${number}(?! ?(?:%|\p{L}))`,
].map((pattern) => new RegExp(pattern, "gu"));
/** An item of a section on requirements that is a version alone. */
const item = new RegExp(String.raw`^[\s*+-]*${product} (?:version )?${number}[\s.]*$`, "gu");
const requirementPath = /\b(?:requirements?|prerequisites?)\b/i;
const versionColumn = /\b(?:minimum|min\.?|required|lowest)\b.{0,20}\bversions?\b/i;

const rangesOf = (text: string) => [...text.matchAll(range)].map(([, from, to]) => [Number(from), Number(to)] as const);

function readRange(line: ReadLine, before: string, after: string): ValueFact[] {
  const name = parameter.exec(line.text)?.slice(1).find(Boolean);
  const [[old, ...more], [now, ...others]] = [rangesOf(before), rangesOf(after)];
  if (!name || !old || !now || more.length + others.length > 0) return [];
  const isNarrower = now[0] >= old[0] && now[1] <= old[1] && now[1] - now[0] < old[1] - old[0];
  if (!isNarrower) return [];
  const subject = `The range of ${name}`;
  return [{ kind: "limit", line, subject, old: old.join("–"), now: now.join("–"), isBreaking: true }];
}

/** Whether a version is higher in its first two numbers. */
function isRaised(old: string, now: string): boolean {
  const [[a = 0, b = 0], [c = 0, d = 0]] = [old.split(".").map(Number), now.split(".").map(Number)];
  return c > a || (c === a && d > b);
}

type Minimum = { name: string; number: string };

function minimumsOf(text: string, path: string): Minimum[] {
  const patterns = requirementPath.test(path) ? [...minimums, item] : minimums;
  return splitSentences(text).flatMap((sentence) => {
    const dateless = sentence.replace(new RegExp(datePattern, "gi"), "");
    const found = patterns.flatMap((pattern) => [...dateless.matchAll(pattern)]);
    return found.map(([, name, number]) => ({ name: name!, number: number! }));
  });
}

function readMinimums(line: ReadLine, before: string, after: string): ValueFact[] {
  const fact = { kind: "version", line } as const;
  const cells = changedCells(line)?.filter(({ subject, old, now }) => {
    const isVersion = [old, now].every((cell) => /^v?\d[\d.]*\+?$/.test(cell));
    return isVersion && versionColumn.test(subject) && isRaised(old.replace(/^v/, ""), now.replace(/^v/, ""));
  });
  if (cells) return cells.map(({ subject, old, now }) => ({ ...fact, subject, old, now }));
  const olds = minimumsOf(before, line.path);
  const nows = minimumsOf(after, line.path);
  if (olds.length !== nows.length) return [];
  return nows.flatMap(({ name, number: now }, index): ValueFact[] => {
    const { name: oldName, number: old } = olds[index]!;
    if (name !== oldName || !isRaised(old, now)) return [];
    return [{ ...fact, subject: `The minimum version of ${name}`, old, now }];
  });
}

/** Returns what a changed line restricts: a narrower range of a parameter, a higher minimum version. */
export function readBounds(line: ReadLine): ValueFact[] {
  if (line.isCode || !line.partner) return [];
  const [before, after] = [line.partner, line].map(({ text }) => shownOf(text.slice(0, maxReadLineLength)));
  return [...readRange(line, before!, after!), ...readMinimums(line, before!, after!)];
}
