import { maxReadLineLength, nameOf, plainOf, shownOf, splitSentences } from "#lib/tracking/wording/index";
import { cellsOf } from "./outline";
import type { ReadLine } from "./read-lines";

const leadingName = /^\s{0,8}(?:[-*+]|\d{1,3}\.) (?:\*\*|`|__){0,3}([^:`*]{2,60}?)(?:\*\*|`|__){0,3}:/;
/** The same with a dash: `- Lite — $0.10`. */
const dashedName = /^\s{0,8}[-*+] (?:\*\*|`|__){0,3}([^:`*|[\]$€£]{2,60}?)(?:\*\*|`|__){0,3}\s+[—–-]\s/;
const emphasized = /^\s{0,8}(?:(?:[-*+]|\d{1,3}\.) )?(?:\*\*|__)([^*_]{2,60})(?:\*\*|__)/;
/** The words before a verb at the beginning of a sentence: `The pay-as-you-go ceiling is $160`. */
const verbs =
  "(?:is|are|costs?|kostet|kosten|coûte|cuesta|pays?|lasts?|expires?|takes?|stays?|has|have|was|were|will|can|rises?|starts|allows?|supports?|includes?|covers?|contains?|offers?|gets?|ends?|stops?|shuts?|retires?)\\b(?!-)";
const clause = new RegExp(
  `^((?:the |an? |our )?(?:[\\p{L}\\p{N}'’-]+ ){0,5}?[\\p{L}\\p{N}'’-]+?(?:\\.\\d{1,3})?) (?:(?:now|currently) )?(${verbs})`,
  "iu",
);
/** What has a subject and a verb. */
const hasClause = new RegExp(`^[^\\s\\d]\\S*(?: .{0,200})? ${verbs}`, "iu");
const clauseBreak =
  /([,;]\s+(?:(?:and|or|but|while|whereas|und|oder|et|ou|y|o|e)\s+)?|\s(?:and|but|while|whereas|und|et|y|e)\s+)/i;
const pronoun = /^(?:you|we|it|they|this|that|there|these|those|he|she|i|which|what|if|when|here)\b/i;
/** Words before the subject: `From 1 March, `. */
const leadIn = /^(?:from|since|as of|starting|on|until|in|for) [^,]{1,40}, /i;
/** Labels and emphasis that say what a line does instead of what it is about: `**Deprecated:** glow-2`. */
const noticeLabel =
  /^(?:deprecat\w*|breaking|breaking changes?|new|fix(?:ed)?|known issues?|notes?|notice|warning|important|caution|updates?|tip|info)\b(?: \w+)?$/i;

export function firstCellOf(text: string): string {
  const line = text.slice(0, maxReadLineLength).trimStart();
  return line.startsWith("|") ? nameOf(line.split("|")[1] ?? "") : "";
}

export const lastNameOf = (path: string) => nameOf(path.split(" > ").at(-1) ?? "");

/** Returns the page or entry that a line is about; empty if it does not name one. A whole sentence is no name. */
export function entryOf({ text, links: [link] }: ReadLine): string {
  const line = text.slice(0, maxReadLineLength);
  if (link?.title && plainOf(line).indexOf(link.title) < 12) return link.title;
  const cell = firstCellOf(line);
  const marked = emphasized.exec(line)?.[1] ?? "";
  const name =
    leadingName.exec(line)?.[1] ??
    dashedName.exec(line)?.[1] ??
    (/[.!?]$|\s(?:is|are|was|were|will|has|have)\s/.test(marked) ? "" : marked);
  const entry = cell || nameOf(name).replace(/[.:;,]+$/, "");
  return noticeLabel.test(entry) ? "" : entry;
}

const money = /[$€£¥]\s?\d|\d\s?[€£¥]/;
const partBreak = /[,;:]\s+|\s(?:and|or|plus|und|oder|et|ou|y|o|e)\s+/;
const fewWords = /^(?:[\p{L}'’-]+ ){0,4}[\p{L}'’-]+$/u;

/** Returns the subject of a sum before which its sentence states another one: `the Pro plan` of `Basic is $19, the Pro plan $49`. */
function subjectOfPart(before: string): { words: string; verb: string } {
  const part = before.split(partBreak).at(-1)!.trim();
  const words = clause.exec(part)?.[1] ?? part;
  return { words: fewWords.test(words) && !pronoun.test(words) ? nameOf(words) : "", verb: "" };
}

/** Returns the part of a line's sentence that has a value and a subject of its own: `the limit is 4` of `Calls are free, and the limit is 4`. */
export function clauseWith({ text }: ReadLine, value: string): string {
  const sentence = splitSentences(shownOf(text)).find((each) => each.includes(value)) ?? "";
  const [first = "", ...rest] = sentence.split(clauseBreak);
  const clauses = [first];
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [separator, part] = [rest[at]!, rest[at + 1]!];
    if (hasClause.test(clauses.at(-1)!) && hasClause.test(part)) clauses.push(part);
    else clauses.push(clauses.pop()! + separator + part);
  }
  return clauses.find((each) => each.includes(value)) ?? sentence;
}

/** Returns the subject of the clause of a line that has a value, and its verb; both are empty if it is a pronoun or longer. */
export function clauseOf(line: ReadLine, value = ""): { words: string; verb: string } {
  const sentence = clauseWith(line, value);
  const before = value === "" ? "" : sentence.slice(0, sentence.indexOf(value));
  if (money.test(before)) return subjectOfPart(before);
  const [, words = "", verb = ""] = clause.exec(sentence.replace(leadIn, "").slice(0, 200)) ?? [];
  if (words === "" || pronoun.test(words)) return { words: "", verb: "" };
  return { words: nameOf(words), verb };
}

export const subjectOf = (line: ReadLine, value = "") =>
  entryOf(line) || clauseOf(line, value).words || lastNameOf(line.path);

export const planWord = /\b(?:plans?|tiers?)\b/i;
const planName =
  /^(?:the )?(?:free|hobby|starter|developer|basic|standard|personal|individual|pro|plus|premium|teams?|business|growth|scale|enterprise|pay[- ]as[- ]you[- ]go)\b(?![- ]form\b)/i;
export const quantityWord =
  /\b(?:limits?|quotas?|max(?:imum)?|min(?:imum)?|retention|timeouts?|rates?|concurren\w+|throughput|bandwidth|storage|sizes?|pric(?:e|es|ing)|costs?|fees?|requests?|calls?|messages?|connections?|tokens?|users?|seats?|members?|projects?|per)\b/i;
const plainColumn = /^(?:values?|limits?|quotas?|amounts?|descriptions?|details?|notes?|\W*)$/i;

export const isPlan = (name: string) => planWord.test(name) || planName.test(name);

type CellChange = { subject: string; isPlan: boolean; isSameRow: boolean; old: string; now: string };

/** Returns `Requests per day on Pro`, from the row's first cell and the column's header, in either order. */
function subjectOfCell(row: string, column: string, corner: string): { subject: string; isPlan: boolean } {
  if (row === "" || plainColumn.test(column)) return { subject: row || column, isPlan: isPlan(row) };
  if (!planWord.test(corner) && isPlan(column)) return { subject: `${row} on ${column}`, isPlan: true };
  if (planWord.test(corner) || isPlan(row)) return { subject: `${column} on ${row}`, isPlan: true };
  const isTransposed = quantityWord.test(row) && !quantityWord.test(column);
  if (isTransposed) return { subject: `${row} of ${column}`, isPlan: false };
  return { subject: quantityWord.test(column) ? `${column} of ${row}` : `${row} (${column})`, isPlan: false };
}

export function changedCells({ text, partner, header }: ReadLine): CellChange[] | undefined {
  const isRow = (row: string) => row.trimStart().startsWith("|");
  if (!partner || !isRow(text) || !isRow(partner.text)) return undefined;
  const [old, now] = [cellsOf(partner.text.slice(0, maxReadLineLength)), cellsOf(text.slice(0, maxReadLineLength))];
  if (old.length !== now.length) return undefined;
  // A second column of names says more than a first one of groups.
  const isGrouped =
    now.length > 3 &&
    old[1] === now[1] &&
    /^[^\d$€£]*\p{L}{3}[^\d$€£]*$/u.test(now[1]!) &&
    !/^(?:yes|no|true|false)$/i.test(now[1]!) &&
    /\d/.test(now.slice(2).join(""));
  const row = nameOf(isGrouped ? now[1]! : now[0]!);
  // A row under another name is another thing, not one that changed.
  const isSameRow = isGrouped || nameOf(old[0]!) === row;
  return now.flatMap((cell, index) => {
    if (index === 0 || cell === old[index]) return [];
    const named = subjectOfCell(row, nameOf(header?.[index] ?? ""), nameOf(header?.[0] ?? ""));
    return [{ old: old[index]!, now: cell, subject: named.subject, isPlan: isSameRow && named.isPlan, isSameRow }];
  });
}
