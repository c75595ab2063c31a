import { codePattern, maxReadLineLength, nameOf, shownOf } from "#lib/tracking/wording/index";
import { cellsOf } from "../text/outline";
import type { ReadLine, Sides } from "../text/read-lines";
import { firstCellOf, lastNameOf, planWord } from "../text/subject";
import { changedWords } from "../text/words";
import type { ValueContext, ValueFact, ValueKind } from "./kinds";
import { isRequired, typedNameIn } from "./requirements";

const operation = /\b(?:GET|POST|PUT|PATCH|DELETE)\s+\/[\w{}:<>./-]{1,120}/;
const everyOperation = new RegExp(operation, "g");
/** An operation or path in any text, and in code an address. */
const endpoint =
  /(?:(?<![\w.:/])(?:(?:GET|POST|PUT|PATCH|DELETE)\s+)?|\b(?:GET|POST|PUT|PATCH|DELETE)\s+["'`]?https?:\/\/[\w.-]{1,100})\/(?:api\/)?v\d+(?:(?:beta|alpha)\d*)?(?:\/[\w{}:<>.-]{1,60}){1,8}/g;
const methodTag = /^\s*<\w+ method=["'](GET|POST|PUT|PATCH|DELETE)["']>/;
const parameterTag =
  /<(?:ParamField|ResponseField)\b[^>]{0,200}?\b(?:path|body|query|header|name)=["']([\w.[\]-]{1,60})["']/;
const fieldLine = /^\s*"([A-Za-z_-]{1,60})"\s*:/;
/** An option in the help text of a command: `  -j, --json   JSON output`. */
const optionLine = /^\s{0,8}(?:-\w, )?(--[\w-]{2,40})(?=[\s=]|$)/;
/** A list entry or cell that begins with a name in code: "- `name`: …", "| **`name`**". */
const codeEntry =
  /^\s{0,12}(?:[-*+]|\|) *(?:\*\*|__|<a [^>]{0,80}><\/a> *|<code>)*`{0,2}([\w.@/:$-]{2,60}(?:\(\))?)(?=[`<*_\s|]|$)/;
/** A name as code has it: `max_tokens`, `maxTokens`, `user.created`, `--json`, `MAX_TOKENS`. */
const identifier = /^-{0,2}(?=.*(?:[a-z][A-Z]|_|\.[a-z]|^--|\(\)))[\w.$-]{2,60}(?:\(\))?$/;
/** First columns of tables that document an interface, and first columns that do so next to one of the others. */
const referenceColumn =
  /^(?:(?:error |status |event |close |response |json )*(?:fields?|param(?:eter)?s?|propert(?:y|ies)|attributes?|arguments?|options?|flags?|variables?|codes?|events?|permissions?|scopes?|headers?|methods?)(?: (?:names?|codes?|types?))?)$/i;
const namingColumn = /^(?:names?|types?|keys?|values?)$/i;
const definingColumn = /^(?:types?|values?|ids?|required\??|optional|defaults?|default values?|meanings?)$/i;
const productPath = /\b(?:models?|pric\w+|plans?|changelog|release notes|packages|librar(?:y|ies))\b/i;
const historyPath = /\b(?:changelog|release notes)\b/i;

/** A name as models have it, in code or quotes: `acme-large-2`, `text-embed@001`. */
const modelName =
  /(?<=[`"'[])(?=[^`"'\]]{0,60}\d)(?=[^`"'\]]{0,60}[-@])[a-z][a-z0-9]*(?:[-@._/][a-z0-9]+){1,8}(?=[`"'\]])/gi;
const modelWord = /\bmodels?\b|\bmodel_?id\b/i;
const noModel =
  /^(?:node|python|java|utf|iso|sha|rfc|us|eu|ap|http|v\d)|\.(?:js|ts|py|md|json|ya?ml|txt)$|^\d|-\d{4}-\d\d-\d\d-/i;
const ended =
  /\b(?:deprecat\w+|legacy|retir\w+|sunset\w*|discontinued|decommission\w*|end[- ]of[- ]life|eol|shut(?:s|ting)? ?down|no longer)\b/i;
/** A value of an enumeration: `DECLINED`. A shorter one is in code or quotes. */
const constant = /\b[A-Z][A-Z0-9]{4,}(?:_[A-Z0-9]+)*\b|(?<=[`"'])[A-Z][A-Z0-9_]{2,}(?=[`"'])/g;
/** An option of a command: `--json`. */
const flag = /(?<![\w-])--[a-z][\w-]{2,40}/g;

function isReferenceTable(header: readonly string[] | undefined): boolean {
  const [first = "", ...others] = (header ?? []).map(nameOf);
  return referenceColumn.test(first) || (namingColumn.test(first) && others.some((name) => definingColumn.test(name)));
}

/** Returns the plan that a row of a table of plans is about. */
function planOf({ text, header }: ReadLine): Name | undefined {
  const name = planWord.test(nameOf(header?.[0] ?? "")) ? firstCellOf(text) : "";
  return name === "" ? undefined : { kind: "entry", name };
}

const maxShownLength = 60;

type Name = { kind: ValueKind; name: string };

function nameIn(line: ReadLine, title: string): Name | undefined {
  const { isCode, isMeta, block, path, header } = line;
  if (isMeta) return undefined;
  const text = line.text.slice(0, maxReadLineLength);
  const named = (kind: ValueKind, name: string | undefined) => (name ? { kind, name } : undefined);
  if (isCode) {
    const isData = block !== undefined && /^json[5c]?$/.test(block.language);
    if (block?.isWhole) return undefined;
    return named("field", isData ? fieldLine.exec(text)?.[1] : undefined) ?? named("entry", optionLine.exec(text)?.[1]);
  }
  const method = methodTag.exec(text)?.[1];
  if (method) return named("endpoint", operation.exec(`${method} ${shownOf(text).replaceAll(" ", "")}`)?.[0]);
  const parameter = parameterTag.exec(text)?.[1];
  if (parameter) return { kind: "parameter", name: parameter };
  if (/^\s*(?:#{1,6}|[-*+|])\s/.test(text) && line.links.length === 0) {
    const documented = (operation.exec(text)?.[0] ?? text.match(endpoint)?.[0])?.replace(/[:.-]+$/, "");
    if (documented) return { kind: "endpoint", name: documented };
  }
  if (historyPath.test(`${title} ${path}`) || (productPath.test(`${title} ${path}`) && !isReferenceTable(header)))
    return undefined;
  const entry = codeEntry.exec(text)?.[1];
  const isMarked = entry !== undefined && (text.includes(`\`${entry}`) || identifier.test(entry));
  const cell = isReferenceTable(header) ? /^[\w$@.:/-]{1,60}/.exec(firstCellOf(text))?.[0] : undefined;
  return named(
    "entry",
    cell ?? typedNameIn(text) ?? (isMarked && (identifier.test(entry) || header) ? entry : undefined),
  );
}

const headerName = "(?:Authorization|(?:[A-Z][A-Za-z\\d]*-)+[A-Z][A-Za-z\\d]*)";
/** A header in code or quotes, or beside that word. */
const header = new RegExp(
  `(?<=[\`"'])${headerName}(?=[\`"':])|(?<=\\bheaders? )${headerName}\\b|\\b${headerName}(?=(?:: \\w+)? headers?\\b)`,
  "g",
);
/** A name that is no word: `HMAC-SHA256`, `maxTokens`, `max_tokens`; versions and quarters are none. */
const technicalName = /^(?![vqhVQH]\d)(?:[A-Za-z][\w.-]*\d[\w.-]*|[a-z]+[A-Z]\w*|\w*[A-Za-z\d]_\w+)$/;
/** The types of JSON. */
const jsonType = /\b(?:string|number|integer|boolean|object|array)s?\b/gi;
/** A field with a value that is complete. */
const fieldValue = /^\s*"([\w-]{1,60})"\s*:\s*("[^"]*"|-?\d[\d.eE+-]*|true|false),?\s*$/;

/** Names that replace each other within a line; other values of an enumeration break clients. */
const replaced: readonly { kind: ValueKind; pattern: RegExp; isBreaking?: boolean }[] = [
  { kind: "endpoint", pattern: endpoint, isBreaking: true },
  { kind: "header", pattern: header },
  { kind: "entry", pattern: constant, isBreaking: true },
  { kind: "entry", pattern: flag, isBreaking: true },
  { kind: "model", pattern: modelName },
];

const namesOf = ({ text }: ReadLine, pattern: RegExp) =>
  text
    .slice(0, maxReadLineLength)
    .split(/(?<=[.!?;])\s/)
    .filter((sentence) => pattern !== modelName || !ended.test(sentence))
    .flatMap((sentence) => sentence.match(pattern) ?? [])
    .map((name) => name.replace(/[:.-]+$/, ""))
    .filter((name) => pattern !== modelName || !noModel.test(name));

/** Returns the only name of a kind that a line has instead of another, which the newer text no longer has. */
function readReplaced(line: ReadLine, { isInOlder, isInNewer, title }: ValueContext): ValueFact[] {
  return replaced.flatMap(({ kind, pattern, isBreaking = false }): ValueFact[] => {
    if (kind === "model" && !isOnModels(line, title)) return [];
    const [old, now] = [new Set(namesOf(line.partner!, pattern)), new Set(namesOf(line, pattern))];
    const gone = [...old].filter((name) => !now.has(name) && !isInNewer(name));
    const come = [...now].filter((name) => !old.has(name) && (kind === "endpoint" || !isInOlder(name)));
    if (gone.length !== 1 || come.length !== 1 || (kind === "header" && isSameName(gone[0]!, come[0]!))) return [];
    return [{ kind, line, subject: lastNameOf(line.path), old: gone[0]!, now: come[0]!, isBreaking }];
  });
}

const isSameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

const apiUrl = /https?:\/\/([\w.-]{1,100})((?:\/[\w{}.:-]{0,60}){0,8})/g;

/** Returns the host of an API that a line has instead of another, with the same path, which the newer text no longer has. */
function readHost(line: ReadLine, { isInOlder, isInNewer }: ValueContext): ValueFact[] {
  const [[old, ...more], [now, ...others]] = [line.partner!, line].map(({ text }) => [
    ...text.slice(0, maxReadLineLength).matchAll(apiUrl),
  ]) as [RegExpMatchArray[], RegExpMatchArray[]];
  if (!old || !now || more.length + others.length > 0 || old[1] === now[1] || old[2] !== now[2]) return [];
  const isApi = /^\/(?:api\/)?v\d/.test(old[2]!) || /^api\b/.test(old[1]!);
  if (!isApi || isInNewer(old[1]!) || isInOlder(now[1]!)) return [];
  const originOf = ([url, , path]: RegExpMatchArray) => url!.slice(0, url!.length - path!.length);
  return [{ kind: "endpoint", line, subject: "", old: originOf(old), now: originOf(now), isBreaking: true }];
}

const typeOf = (value: string) => (value.startsWith('"') ? "string" : /^[tf]/.test(value) ? "boolean" : "number");

/** A name of code that is not a word alone, such as one of a command, on at least one side of a change. */
const [plainName, joinedName] = [/^[A-Za-z_$]{2,60}$/, /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/];

/** Returns the only name in code that a line has instead of another, which the newer text no longer has. */
function readRenamedCode(line: ReadLine, { isInOlder, isInNewer }: ValueContext): ValueFact[] {
  const [was, is] = [line.partner!, line].map(({ text }) => text.slice(0, maxReadLineLength));
  const [olds, nows] = [was, is].map((text) => [...text!.matchAll(codePattern)].map(([, code]) => code!.trim()));
  const restOf = (text: string) => text.replace(codePattern, "`").replace(/\s+/g, " ");
  if (line.isCode || olds!.length !== nows!.length || restOf(was!) !== restOf(is!)) return [];
  const moves = olds!.map((old, index) => [old, nows![index]!] as const).filter(([old, now]) => old !== now);
  const [old = "", now = ""] = moves[0] ?? [];
  if (new Set(moves.map((move) => move.join(" "))).size !== 1 || isInNewer(old) || isInOlder(now)) return [];
  if (![old, now].every((name) => plainName.test(name)) || !joinedName.test(`${old} ${now}`)) return [];
  return [{ kind: "name", line, subject: lastNameOf(line.path), old, now, isBreaking: true }];
}

/** Returns the name, or the type of data, that a line has instead of another. */
function readRenamed(line: ReadLine): ValueFact[] {
  if (line.isCode) {
    const [was, is] = [line.partner!, line].map(({ text }) => fieldValue.exec(text));
    const isOther = was && is && was[1] === is[1] && typeOf(was[2]!) !== typeOf(is[2]!);
    return isOther ? [{ kind: "entry", line, subject: is[1]!, old: was[2]!, now: is[2]! }] : [];
  }
  const change = changedWords(shownOf(line.partner!.text), shownOf(line.text));
  const [old, now] = [change.old, change.now].map((words) => words.replace(/[.,:;)]+$|^\(/g, "")) as [string, string];
  const fact = { line, subject: lastNameOf(line.path), old, now };
  if (technicalName.test(old) && technicalName.test(now)) return [{ ...fact, kind: "name" }];
  const [type, ...types] = [old, now].map((words) => words.toLowerCase().match(jsonType) ?? []);
  const isType = [type, ...types].every((found) => found?.length === 1) && Math.max(old.length, now.length) <= 30;
  return isType && type![0]!.replace(/s$/, "") !== types[0]![0]!.replace(/s$/, "") ? [{ ...fact, kind: "type" }] : [];
}

const isOnModels = ({ text, path }: ReadLine, title: string) =>
  modelWord.test(`${title} ${path} ${text.slice(0, maxReadLineLength)}`) && !ended.test(path);

function readModel(line: ReadLine, { isInOlder, title }: ValueContext): ValueFact[] {
  const isListed = /^\s*(?:[-*+|]|\d{1,3}[.)])/.test(line.text) || modelWord.test(`${title} ${line.path}`);
  if ((!line.partner && (line.isCode || !isListed)) || !isOnModels(line, title)) return [];
  const now = namesOf(line, modelName).find((name) => !isInOlder(name));
  return now ? [{ kind: "model", line, subject: lastNameOf(line.path), old: "", now }] : [];
}

/** Returns the short change of the entry of a reference: another type, or required where it was optional. */
function readEntryChange(line: ReadLine, title: string): ValueFact[] {
  const subject = nameIn(line, title)?.name ?? codeEntry.exec(line.text)?.[1];
  const { old, now } = changedWords(shownOf(line.partner!.text), shownOf(line.text));
  const isShort = old !== "" && now !== "" && Math.max(old.length, now.length) <= maxShownLength;
  if (!subject || !isShort || !line.partner!.text.includes(subject)) return [];
  const hasColumn = line.header?.some((name) => /^\W*required/i.test(name)) ?? false;
  const answerOf = (value: string) => {
    const [, word = ""] = /(?:^|[\s(*_])(optional|required|yes|no|true|false)(?=$|[\s)*_,])/i.exec(value) ?? [];
    return /^(?:optional|required)$/i.test(word) || hasColumn ? word.toLowerCase() : "";
  };
  const [was, is] = [answerOf(old), answerOf(now)].map((word) => {
    return word && (/^[rty]/.test(word) ? "required" : "optional");
  });
  if (was && is && was !== is)
    return [{ kind: "entry", line, subject, old: was, now: is, isBreaking: is === "required" }];
  if (!isReferenceTable(line.header)) return [];
  return [{ kind: "entry", line, subject, old: old.replace(/^\| | \|$/g, ""), now }];
}

/** Returns the names of an interface that a change adds, renames or no longer has, except those of whole sections. */
export function readNames({ removed, added }: Sides, context: ValueContext): ValueFact[] {
  const { isInOlder, isInNewer, isWhole, title } = context;
  const named = (lines: readonly ReadLine[]) => new Map(lines.map((line) => [line, nameIn(line, title)] as const));
  const [olds, nows] = [named(removed), named(added)];
  const [oldNames, newNames] = [olds, nows].map((names) => new Set([...names.values()].map((found) => found?.name)));
  // Any name in code counts if its entry is gone or has another one.
  const inCode = (line: ReadLine): Name | undefined => {
    const name = codeEntry.exec(line.text)?.[1] ?? "";
    const isName = line.text.includes(`\`${name}\``) && !line.isCode && !historyPath.test(`${title} ${line.path}`);
    return isName ? { kind: "entry", name } : undefined;
  };
  const facts = added.flatMap((line): ValueFact[] => {
    const fact = { line, subject: lastNameOf(line.path), old: "" };
    const now = nows.get(line);
    const isNew = now !== undefined && !oldNames!.has(now.name);
    const models = readModel(line, context);
    if (!line.partner) {
      const isStated = isNew && !isWhole(line.path) && (now.kind !== "endpoint" || !isInOlder(now.name));
      if (!isStated) return models;
      const isOtherMethod = (name = "") => bareOf(name) === bareOf(now.name) && name !== now.name && !isInNewer(name);
      const old = (now.kind === "endpoint" && [...oldNames!].find(isOtherMethod)) || "";
      const isNeeded = now.kind !== "endpoint" && isRequired(line) && context.hasSibling(line);
      return [...models, { ...fact, kind: now.kind, old, now: now.name, isBreaking: old !== "" || isNeeded }];
    }
    const others = [...readReplaced(line, context), ...readHost(line, context)];
    if (others.length > 0) return others;
    const renamed = readRenamedCode(line, context);
    const [before, own] = [olds.get(line.partner) ?? inCode(line.partner), now ?? inCode(line)];
    const isRenamed = own !== undefined && before?.kind === own.kind && before.name !== own.name;
    if (isRenamed && own.kind === "endpoint") {
      // Of the same path with another method, the whole names are compared.
      const nameOf = bareOf(before.name) === bareOf(own.name) ? (name: string) => name : bareOf;
      const old = isInNewer(nameOf(before.name)) ? "" : before.name;
      return isInOlder(nameOf(own.name))
        ? models
        : [{ ...fact, kind: own.kind, old, now: own.name, isBreaking: old !== "" }];
    }
    if (isRenamed && !oldNames!.has(own.name) && !newNames!.has(before.name) && !isInNewer(before.name))
      return [{ ...fact, kind: own.kind, old: before.name, now: own.name, isBreaking: now !== undefined }];
    if (models.length > 0 || renamed.length > 0) return [...models, ...renamed];
    const changes = readEntryChange(line, title);
    return changes.length > 0 ? changes : readRenamed(line);
  });
  const moved = new Set(facts.map(({ old }) => old));
  const isGone = ({ kind, name }: Name) =>
    !moved.has(name) && (kind === "endpoint" ? !isInNewer(bareOf(name)) : !newNames!.has(name) && !isInNewer(name));
  const gone = removed.flatMap((line): ValueFact[] => {
    const own = line.partner || isWhole(line.path) ? undefined : (olds.get(line) ?? inCode(line) ?? planOf(line));
    // An operation is gone if no text names its path, also with a whole section or in a sentence.
    const operations = (line.text.match(everyOperation) ?? []).map((name) => name.replace(/[:.,-]+$/, ""));
    const names: Name[] = operations.map((name) => ({ kind: "endpoint", name }));
    if (own && (own.kind !== "endpoint" || names.length === 0)) names.push(own);
    const fact = { line, subject: lastNameOf(line.path), now: "" };
    return names.filter(isGone).map(({ kind, name }) => ({ ...fact, kind, old: name }));
  });
  return [...facts, ...gone];
}

/** Returns an endpoint without its method. */
export const bareOf = (endpoint: string) => endpoint.replace(/^[A-Z]+\s+/, "");

/** Returns what the row of a table says its entry means, as a quotation after a colon; empty for other lines. */
export function meaningOf({ text, header }: ReadLine): string {
  const cells = header ? cellsOf(text.slice(0, maxReadLineLength)) : [];
  return cells.length > 1 ? shownOf(cells.filter((cell) => /\p{L} \S{1,40} \p{L}/u.test(cell)).at(-1) ?? "") : "";
}
