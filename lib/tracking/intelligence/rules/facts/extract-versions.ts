import { maxReadLineLength, shownOf } from "../text/plain-text";
import type { ReadLine } from "../text/read-lines";
import { lastNameOf, subjectOf } from "../text/subject";
import type { ValueFact } from "./value-fact";
import { lowerArticle } from "./value-subjects";

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
