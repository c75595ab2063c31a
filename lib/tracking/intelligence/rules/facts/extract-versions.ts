import { maxReadLineLength, nameOf, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { lastNameOf, subjectOf } from "../text/subject";
import { datePattern } from "../text/wording";
import type { ValueFact } from "./value-fact";
import { lowerArticle } from "./value-subjects";

const ending =
  /\b(?:deprecat\w*|retire\w*|sunset\w*|shut ?down\w*|end[- ]of[- ](?:life|support)|eol|removal|removed|no longer)\b/i;
const everyDate = new RegExp(datePattern, "gi");

const datesOf = (text: string) => shownOf(text.slice(0, maxReadLineLength)).match(everyDate) ?? [];

/** Returns the date of an end that a line moves, with what ends: a name in code, or the subject of the line. */
export function readEnds(line: ReadLine): ValueFact[] {
  if (!line.partner || line.isCode || !ending.test(`${line.path} ${shownOf(line.text)}`)) return [];
  const [old, now] = [datesOf(line.partner.text), datesOf(line.text)];
  if (old.length !== now.length) return [];
  const at = now.findIndex((date, index) => date !== old[index]);
  if (at < 0) return [];
  const code = /`([^`]{2,80})`/.exec(line.text.slice(0, maxReadLineLength))?.[1];
  return [{ kind: "end", line, subject: code ? nameOf(code) : subjectOf(line), old: old[at]!, now: now[at]! }];
}

const loaded =
  /^\s*(?:from ([\w.]{1,80}) import\b|import ([\w.]{1,80})\s*$|import\b.{0,200}\bfrom ["'](?!\.|\/|@\/)([^"']{1,80})["']|.{0,80}\brequire\(["'](?!\.|\/)([^"']{1,80})["'])/;

const packageOf = ({ text, isCode }: ReadLine): string | undefined => {
  const found = isCode ? loaded.exec(text.slice(0, 500)) : null;
  return found?.slice(1).find(Boolean);
};

/** Most packages of a change that are searched in the whole text. */
const maxPackageCount = 10;

/** Returns the packages that code of one version loads, and that the other version neither loads nor has in quotes or code. */
function onlyIn(lines: readonly ReadLine[], other: string) {
  const found = new Map<string, ReadLine>();
  for (const line of lines) {
    const name = packageOf(line);
    if (name && !found.has(name)) found.set(name, line);
    if (found.size === maxPackageCount) break;
  }
  return [...found].filter(
    ([name]) => !new RegExp(`(?:\\bfrom |\\bimport |["'\`])${name.replace(/[^\w]/g, "\\$&")}(?![\\w])`).test(other),
  );
}

/** Returns the package that replaces another in the code of a text. */
export function readPackages(
  removed: readonly ReadLine[],
  added: readonly ReadLine[],
  texts: { before: string; after: string },
): ValueFact[] {
  const gone = onlyIn(removed, texts.after);
  if (gone.length !== 1) return [];
  const come = onlyIn(added, texts.before);
  if (come.length !== 1) return [];
  const [[old], [now, line]] = [gone[0]!, come[0]!];
  return [{ kind: "package", line, subject: lastNameOf(line.path), old, now }];
}

/** A name as models have it: `acme-large-2`, `text-embed@001`. */
const modelName =
  /(?<=[`"'[])(?=[^`"'\]]{0,60}\d)(?=[^`"'\]]{0,60}[-@])[a-z][a-z0-9]*(?:[-@._/][a-z0-9]+){1,8}(?=[`"'\]])/gi;
const modelWord = /\bmodels?\b|\bmodel_?id\b/i;
/** Names with a hyphen and a number that are none of models. */
const noModel =
  /^(?:node|python|java|utf|iso|sha|rfc|us|eu|ap|http|v\d)|\.(?:js|ts|py|md|json|ya?ml|txt)$|^\d|-\d{4}-\d\d-\d\d-/i;

/** Words about names that are on their way out, and are therefore not new. */
const ended =
  /\b(?:deprecat\w+|legacy|retir\w+|sunset\w*|discontinued|decommission\w*|end[- ]of[- ]life|eol|shut(?:s|ting)? ?down|no longer)\b/i;

const namesIn = (text: string) => (text.match(modelName) ?? []).filter((name) => !noModel.test(name));
const namesOf = ({ text }: ReadLine) => namesIn(text.slice(0, maxReadLineLength));

/** Returns the names that a line presents as current: those of its sentences, or of its row, that announce no end. */
function currentNamesOf({ text, path }: ReadLine): string[] {
  if (ended.test(path)) return [];
  return text
    .slice(0, maxReadLineLength)
    .split(/(?<=[.!?;])\s/)
    .filter((sentence) => !ended.test(sentence))
    .flatMap(namesIn);
}

/** Whether a new line is one of a list, a table or a section on models; other text mentions them. */
const isList = ({ text, path }: ReadLine, title: string) =>
  /^\s*(?:[-*+|]|\d{1,3}[.)])/.test(text) || modelWord.test(`${title} ${path}`);

/** Returns the names of models that the older text does not have anywhere, with the name that each replaces, if any. */
export function readModels(
  added: readonly ReadLine[],
  title: string,
  isIn: { before: (value: string) => boolean; after: (value: string) => boolean },
): ValueFact[] {
  return added.flatMap((line) => {
    if (!line.partner && (line.isCode || !isList(line, title))) return [];
    if (!modelWord.test(`${title} ${line.path} ${line.text.slice(0, maxReadLineLength)}`)) return [];
    const isKnown = (name: string, isInText: (value: string) => boolean) =>
      ["``", '""', "''", "[]"].some((marks) => isInText(`${marks[0]}${name}${marks[1]}`));
    const now = currentNamesOf(line).find((name) => !isKnown(name, isIn.before));
    if (!now) return [];
    const old = line.partner && namesOf(line.partner).find((name) => !isKnown(name, isIn.after));
    return [{ kind: "model" as const, line, subject: lastNameOf(line.path), old: old ?? "", now }];
  });
}

/** Longest part of a line of code that is read, in UTF-16 code units. */
const maxCodeLength = 500;

const version = /(?<![\w.])[v^~]?\d+\.\d+(?:\.[\w-]+){0,3}|(?<=@)[\^~]?\d+(?![\w.])/;
const versioned = /@[\^~]?\d|[=~<>^]=?\s?["']?v?\d|\bversion\b|:\d+\.\d|<version>|\brequires?\b/i;

/** The name before a version: `acme-sdk` in `"acme-sdk": "^3.1"`. */
const versionName = /([A-Za-z@][\w@/.-]{1,60})["']?\s?(?:@|[=~<>^]=?|:)\s?["'^~v]{0,3}$/;

/** Returns the version of a package that a line of code changes. */
function readCodeVersion(line: ReadLine): ValueFact[] {
  if (!line.block || !line.partner?.block) return [];
  const [before, after] = [line.partner.text.slice(0, maxCodeLength), line.text.slice(0, maxCodeLength)];
  const [old, now] = [version.exec(before)?.[0], version.exec(after)?.[0]];
  if (!old || !now || old === now || before.replace(old, now) !== after || !versioned.test(after)) return [];
  const name = versionName.exec(before.slice(0, before.indexOf(old)))?.[1]?.replace(/@$/, "");
  return [{ kind: "version", line, subject: !name || name === "version" ? lastNameOf(line.path) : name, old, now }];
}

/** A version in prose; a number with one dot, or a whole number, is one after "v" or "version". */
const statedVersion =
  /(?<![\w.])(?:v(?:ersion )?)?\d+\.\d+\.\d+\b|\b(?:v|version )\d+(?:\.\d+)?\b|(?<=@)[\^~]?\d+(?:\.\d+){0,2}\b/gi;
/** What has versions that matter to those who use it. */
const packageWord =
  /\b(?:sdks?|librar(?:y|ies)|clients?|packages?|drivers?|cli)\b|[\w/-]+@[\^~]?\d|\b(?:npm|pip|gem|cargo|composer)\b/i;

/** What else is needed, with its version: `Python 3.10 or newer`, `requires Node.js 20`. */
const requirement =
  /\b(?:requir\w+|needs?|compatib\w+|at least)\b[^,;)]{0,60}|(?:\b[A-Z][\w.]{1,20} )?\bv?\d[\d.]{0,10} (?:or|and) (?:later|higher|newer|above)\b/gi;

/** Returns the version of an SDK or package that a line of text states anew. */
function readStatedVersion(line: ReadLine): ValueFact[] {
  const { text, partner, path, header } = line;
  if (!partner || partner.isCode) return [];
  const [before, after] = [partner.text, text].map((each) =>
    shownOf(each.slice(0, maxReadLineLength)).replace(requirement, ""),
  ) as [string, string];
  if (!packageWord.test(`${path} ${header?.join(" ") ?? ""} ${after}`)) return [];
  const versionsOf = (each: string) => each.match(statedVersion) ?? [];
  const [old, now] = [versionsOf(before), versionsOf(after)];
  const at = now.findIndex((version, index) => version !== old[index]);
  if (at < 0 || old.length !== now.length) return [];
  const name = /([\w/-]{2,60})@$/.exec(after.slice(0, after.indexOf(now[at]!)))?.[1];
  const named = name
    ? `${after.includes(`@${name}@`) ? "@" : ""}${name}`
    : subjectOf(line, now[at]!).replace(now[at]!, "").trim();
  const number = (version: string) => version.replace(/^version /i, "");
  return [{ kind: "version", line, subject: lowerArticle(named), old: number(old[at]!), now: number(now[at]!) }];
}

/** Returns the version of an SDK or package that a line changes, in code or in text. */
export const readVersions = (line: ReadLine): ValueFact[] =>
  line.isCode ? readCodeVersion(line) : readStatedVersion(line);
