import { maxReadLineLength, nameOf } from "#lib/tracking/wording/index";
import { cellsOf, type Outline, placeOf } from "../text/outline";
import type { ReadLine } from "../text/read-lines";

/** A list entry that begins with a name and, in parentheses, its type or whether it is required: `- reason (string, required)`. */
const typedEntry =
  /^\s{0,12}[-*+] +[*_`]{0,3}([\w.[\]-]{2,60})[*_`]{0,3} +[*_]{0,2}\(([^()]{0,20}\b(?:string|number|integer|boolean|object|array|required|optional)\b[^()]{0,60})\)/i;
const parameterTag = /^\s*<ParamField\b([^>]{0,300})>/;
/** A word that says so of every request: "required", not "required if". */
const required = /(?:^|[\s(*_,])required(?=$|[\s)*_,.])(?! (?:if|when|unless|for|only)\b)/i;
const isNegated = /\b(?:not|un|optional\w*) ?required/i;
const requiredColumn = /^\W*required/i;
const yes = /^(?:yes|true|required|✅|✓|✔\ufe0f?|:white_check_mark:)$/i;
/** Sections on what clients receive: a field that is always there breaks none of them. */
const receivedPath = /\b(?:responses?|returns?|attributes|objects?|outputs?|events?|payloads?|errors?)\b/i;

/** Returns the name that a typed list entry documents. */
export const typedNameIn = (text: string): string | undefined => typedEntry.exec(text)?.[1];

/** Returns what is the same for all parameters that are documented in one way, such as the header of their table. */
function notationOf(text: string, header: readonly string[] | undefined): string | undefined {
  if (header && text.includes("|")) return header.map(nameOf).join("|");
  if (typedEntry.test(text)) return "entry";
  return parameterTag.test(text) ? "tag" : undefined;
}

/** Whether a line documents a parameter that every request needs. */
export function isRequired({ text, header, path }: Pick<ReadLine, "text" | "header" | "path">): boolean {
  if (receivedPath.test(path)) return false;
  const line = text.slice(0, maxReadLineLength);
  const isStated = (words: string) => required.test(words) && !isNegated.test(words);
  if (!header) return isStated(typedEntry.exec(line)?.[2] ?? parameterTag.exec(line)?.[1] ?? "");
  const at = header.findIndex((name) => requiredColumn.test(name));
  const [, ...cells] = cellsOf(line);
  return at > 0 ? yes.test(nameOf(cells[at - 1] ?? "")) : cells.some((cell) => cell.length < 40 && isStated(cell));
}

/**
 * Returns a function that tells whether the older version documented other parameters of a line's section in the same way, so that a
 * new one is news and not the first documentation of known ones.
 */
export function siblingFinder(old: Outline): (line: ReadLine) => boolean {
  let known: Set<string> | undefined;
  const keyOf = (path: string, notation: string) => `${path.toLowerCase()}\n${notation}`;
  const read = () =>
    old.lines.flatMap((text, number) => {
      if (!/[|(<]/.test(text)) return [];
      const { path, header, block } = placeOf(old, number);
      const notation = block ? undefined : notationOf(text.slice(0, maxReadLineLength), header);
      return notation === undefined ? [] : [keyOf(path, notation)];
    });
  return ({ text, header, path }) => {
    const notation = notationOf(text.slice(0, maxReadLineLength), header);
    if (notation === undefined) return false;
    known ??= new Set(read());
    return known.has(keyOf(path, notation));
  };
}
