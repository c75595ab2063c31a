import { maxReadLineLength, nameOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { clauseOf, entryOf, lastNameOf } from "../text/subject";
import { cellsOf } from "../text/tables";

/** Words for plans, and their usual names. */
export const planWord = /\b(?:plans?|tiers?)\b/i;
const planName =
  /^(?:the )?(?:free|hobby|starter|developer|basic|standard|personal|individual|pro|plus|premium|teams?|business|growth|scale|enterprise|pay[- ]as[- ]you[- ]go)\b(?![- ]form\b)/i;
export const planPath = /\b(?:plans?|tiers?|pricing)\b/i;
/** What a table counts or charges. */
export const quantityWord =
  /\b(?:limits?|quotas?|max(?:imum)?|min(?:imum)?|retention|timeouts?|rates?|concurren\w+|throughput|bandwidth|storage|sizes?|pric(?:e|es|ing)|costs?|fees?|requests?|calls?|commands?|messages?|connections?|tokens?|users?|seats?|members?|projects?|per)\b/i;
/** Headers that say nothing about their column. */
const plainColumn = /^(?:values?|limits?|quotas?|amounts?|descriptions?|details?|notes?|\W*)$/i;

/** What a value is about, and whether it belongs to a plan. */
export type ValueSubject = { subject: string; isPlan: boolean };
/** A cell of a table that has another text than before. */
type CellChange = ValueSubject & { old: string; now: string };

const isPlan = (name: string) => planWord.test(name) || planName.test(name);

/** Returns `Requests per day on Pro`, from the row's first cell and the column's header, in either order. */
function subjectOfCell(row: string, column: string, corner: string): ValueSubject {
  if (row === "" || plainColumn.test(column)) return { subject: row || column, isPlan: isPlan(row) };
  if (!planWord.test(corner) && isPlan(column)) return { subject: `${row} on ${column}`, isPlan: true };
  if (planWord.test(corner) || isPlan(row)) return { subject: `${column} on ${row}`, isPlan: true };
  const isTransposed = quantityWord.test(row) && !quantityWord.test(column);
  return { subject: isTransposed ? `${row} of ${column}` : `${column} of ${row}`, isPlan: false };
}

const isRow = ({ text }: ReadLine) => text.trimStart().startsWith("|");

/** Returns the changed cells of a table row; undefined if a line is none or has other columns than before. */
export function changedCells(line: ReadLine): CellChange[] | undefined {
  const { text, partner, header } = line;
  if (!partner || !isRow(line) || !isRow(partner)) return undefined;
  const [old, now] = [partner.text, text].map((row) => cellsOf(row.slice(0, maxReadLineLength))) as [
    string[],
    string[],
  ];
  if (old.length !== now.length) return undefined;
  const row = nameOf(now[0]!);
  // A row under another name is another thing, not one that changed.
  const isSame = nameOf(old[0]!) === row;
  return now.flatMap((cell, index) => {
    const before = old[index]!;
    if (index === 0 || cell === before) return [];
    const named = subjectOfCell(row, nameOf(header?.[index] ?? ""), nameOf(header?.[0] ?? ""));
    return [{ old: before, now: cell, subject: named.subject, isPlan: isSame && named.isPlan }];
  });
}

/** Returns a name for the middle of a sentence: `the API`. */
export const lowerArticle = (name: string) =>
  name.replace(/^(?:The|An?|Our|Each|Every)\b/, (word) => word.toLowerCase());
const capitalize = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
/** Verbs before what something has; after others, the number is the size of the subject itself. */
const ownership = /^(?:has|have|had|includes?|contains?|allows?|supports?|covers?|gets?|offers?|can)$/i;

/** Returns what a number of a line of prose or of a list counts: its noun, with the plan or thing that has it. */
export function subjectOfCount(line: ReadLine, noun: string, value: string): ValueSubject {
  const section = lastNameOf(line.path);
  const entry = entryOf(line);
  const { words, verb } = clauseOf(line, value);
  const owner = entry || (ownership.test(verb) ? words : "");
  if (owner !== "" && (isPlan(owner) || (entry !== "" && planPath.test(line.path)))) {
    const plan = planWord.test(owner) ? lowerArticle(owner) : `the ${owner} plan`;
    return { subject: noun ? `${capitalize(noun)} on ${plan}` : capitalize(plan), isPlan: true };
  }
  if (noun !== "" && owner !== "" && !quantityWord.test(owner))
    return { subject: `${capitalize(noun)} for ${lowerArticle(owner)}`, isPlan: false };
  const named = entry || words;
  if (named !== "") return { subject: named, isPlan: isPlan(named) };
  if (noun !== "" && (planName.test(section) || /\w (?:plan|tier)$/i.test(section)))
    return { subject: `${capitalize(noun)} on ${lowerArticle(section)}`, isPlan: true };
  if (noun !== "") return { subject: capitalize(noun), isPlan: false };
  return { subject: section && `A limit under ${section}`, isPlan: false };
}
