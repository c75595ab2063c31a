import { maxReadLineLength } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { lastNameOf } from "../text/subject";
import type { ValueContext, ValueFact } from "./kinds";

const value = "[`\"'“][\\w-]{1,40}[`\"'”]";
const anyValue = new RegExp(value, "g");
/** Alternatives: three that "or" joins, or two that a bar separates, or that a colon or parenthesis introduces. */
const alternatives = new RegExp(
  `([:(]\\s?)?${value}(?:(?:\\s?[,|/]\\s?(?:or |and )?|,? (?:or|and) )${value}){1,60}`,
  "g",
);
const minJoinedCount = 3;
const bareEntry = /^\s*[-*+]\s+`[A-Za-z][\w-]{0,40}`[.,;]?\s*$/;

/** Whether a line of a list is nothing but a name, as in lists of the values that something can have. */
export const isBareEntry = ({ text, isCode }: ReadLine) => !isCode && bareEntry.test(text);

/** Returns the names of each enumeration in a line, with their quotation marks. The arguments of a call are none. */
function enumerationsOf({ text, isCode, header }: ReadLine): string[][] {
  const line = text.slice(0, maxReadLineLength);
  const cells = header ? line.replace(/(?<!\\)\|/g, ";").replaceAll("\\|", "|") : line;
  return [...cells.matchAll(alternatives)].flatMap(([all, lead]) => {
    const names = all.match(anyValue) ?? [];
    const isJoined = names.length >= minJoinedCount && /\bor\b/.test(all);
    return all.includes("|") || (!isCode && (lead !== undefined || isJoined)) ? [names] : [];
  });
}

/** Returns the values that an enumeration of a line loses, gets or has under another name; a lost one breaks clients. */
export function readEnumerations(line: ReadLine, { isInOlder, isInNewer }: ValueContext): ValueFact[] {
  const now = new Set(line.text.slice(0, maxReadLineLength).match(anyValue));
  return enumerationsOf(line.partner!).flatMap((names) => {
    if (!names.some((name) => now.has(name))) return [];
    const next = enumerationsOf(line).find((others) => others.some((name) => names.includes(name))) ?? [];
    const gone = names.filter((name) => !now.has(name) && !isInNewer(name));
    const come = next.filter((name) => !names.includes(name) && !isInOlder(name));
    const bare = (name = "") => name.slice(1, -1);
    const fact = { kind: "entry" as const, line, subject: lastNameOf(line.path) };
    return [
      ...gone.map((name, at) => ({ ...fact, old: bare(name), now: bare(come[at]), isBreaking: true })),
      ...come.slice(gone.length).map((name) => ({ ...fact, old: "", now: bare(name) })),
    ];
  });
}
