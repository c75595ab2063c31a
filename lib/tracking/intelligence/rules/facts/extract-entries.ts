import { maxReadLineLength, nameOf, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { firstCellOf, lastNameOf } from "../text/subject";
import { changedWords, isSpelling } from "../text/word-changes";
import type { ValueFact } from "./value-fact";

/** A list entry that begins with a name in code: "- `name`: …" or "- **`name`** (string)". */
const listEntry = /^\s{0,12}[-*+] (?:\*\*|__)?`([^`]{1,60})`/;
/** A name as code has it: `max_tokens`, `maxTokens`, `user.created`, `--json`, `MAX_TOKENS`. */
const identifier = /^-{0,2}(?=.*(?:[a-z][A-Z]|_|\.[a-z]|^--|\(\)))[\w.$-]{2,60}(?:\(\))?/;
/** An option in the help text of a command: `  -j, --json   JSON output`. */
const optionLine = /^\s{0,8}(?:-\w, )?(--[\w-]{2,40})(?=[\s=]|$)/;
/** Any name in code: `acme-large-1`, `json`. It counts if its entry is gone. */
const codeName = /^`{1,2}([\w.@/:$-]{2,60}(?:\(\))?)`/;
const historyPath = /\b(?:changelog|release notes)\b/i;
/** Sections on models and prices have names of products. */
const productPath = /\b(?:models?|pric\w+|plans?|changelog|release notes|packages|librar(?:y|ies))\b/i;

/** First columns of tables that document an interface, and first columns that do so next to one of the others. */
const referenceColumn =
  /^(?:(?:error |status |event |close |response |json )*(?:fields?|param(?:eter)?s?|propert(?:y|ies)|attributes?|arguments?|options?|flags?|variables?|codes?|events?|permissions?|scopes?|headers?|methods?)(?: (?:names?|codes?|types?))?)$/i;
const namingColumn = /^(?:names?|types?|keys?|values?)$/i;
const definingColumn = /^(?:types?|values?|ids?|required\??|optional|defaults?|default values?|meanings?)$/i;
/** A name of any form in such a table: `summary`, `160014`, without its marks: `presences?`, `UNSET \[1\]`. */
const rowName = /^[\w$@.:/-]{1,60}/;

/** Whether a table documents an interface, by the cells of its header. */
function isReferenceTable(header: readonly string[] | undefined): boolean {
  const [first = "", ...others] = (header ?? []).map(nameOf);
  return referenceColumn.test(first) || (namingColumn.test(first) && others.some((name) => definingColumn.test(name)));
}

/** Returns the name of a row of a table that documents an interface; undefined for other lines. */
function rowNameOf({ text, header, isCode }: ReadLine): string | undefined {
  if (isCode || !isReferenceTable(header)) return undefined;
  return rowName.exec(firstCellOf(text))?.[0];
}

/** Returns the name of an entry of a reference, in a table or a list; undefined for other lines. */
function entryOf(line: ReadLine): string | undefined {
  return namedEntryOf(line) ?? rowNameOf(line);
}

function namedEntryOf({ text, isCode, isMeta, block }: ReadLine): string | undefined {
  if (isCode) return block?.isWhole ? undefined : optionLine.exec(text.slice(0, maxReadLineLength))?.[1];
  if (isMeta) return undefined;
  const line = text.slice(0, maxReadLineLength);
  const inList = listEntry.exec(line)?.[1];
  if (inList !== undefined) return identifier.exec(inList)?.[0];
  const cell = line.trimStart().startsWith("|") ? line.split("|")[1]!.trim() : "";
  const isName = cell.startsWith("`") || cell.startsWith("**") || cell.startsWith("[`") || cell.startsWith("<code>");
  return isName || identifier.test(cell) ? identifier.exec(firstCellOf(line).replace(/^<code>/, ""))?.[0] : undefined;
}

/** Returns the name in code, of any form, that an entry of a table or list begins with; undefined for other lines. */
function codeNameOf({ text, isCode, isMeta }: ReadLine): string | undefined {
  if (isCode || isMeta) return undefined;
  const start = /^\s{0,12}(?:[-*+]|\|) *(?:\*\*|__)?/.exec(text)?.[0];
  return start && codeName.exec(text.slice(start.length, start.length + maxReadLineLength))?.[1];
}

/** Longest part of an entry that is shown. */
const maxShownLength = 60;

/** Returns the entries of references that a change adds, changes or no longer has, except those of whole sections. */
export function readEntries(
  removed: readonly ReadLine[],
  added: readonly ReadLine[],
  isInNewer: (value: string) => boolean,
  { title, isWhole }: { title: string; isWhole: (path: string) => boolean },
): ValueFact[] {
  const isReference = ({ path }: ReadLine) => !isWhole(path) && !productPath.test(`${title} ${path}`);
  const fact = (line: ReadLine, subject: string, old: string, now: string): ValueFact => ({
    kind: "entry",
    line,
    subject,
    old,
    now,
  });
  const olds = new Set(removed.map(entryOf));
  const news = new Set(added.map(entryOf));
  const come = added.filter(isReference).flatMap((line) => {
    const name = entryOf(line);
    if (!name) return [];
    if (!line.partner) return olds.has(name) ? [] : [fact(line, lastNameOf(line.path), "", name)];
    if (entryOf(line.partner) !== name) return [];
    const [before, after] = [shownOf(line.partner.text), shownOf(line.text)];
    const { old, now } = changedWords(before, after);
    const isShort = Math.max(old.length, now.length) <= maxShownLength;
    // A longer change is one of wording.
    if (!isShort || isSpelling(before, after) || old === "" || now === "") return [];
    return [fact(line, name, old.replace(/^\| | \|$/g, ""), now.replace(/^\| | \|$/g, ""))];
  });
  const isKept = ({ path }: ReadLine) => !isWhole(path) && !historyPath.test(`${title} ${path}`);
  const gone = removed.filter(isKept).flatMap((line) => {
    if (line.partner) return [];
    const name = (isReference(line) ? namedEntryOf(line) : undefined) ?? codeNameOf(line);
    const row = isReference(line) ? rowNameOf(line) : undefined;
    if (!name && row && !news.has(row)) return [fact(line, lastNameOf(line.path), row, "")];
    return name && !isInNewer(name) ? [fact(line, lastNameOf(line.path), name, "")] : [];
  });
  return [...come, ...gone];
}
