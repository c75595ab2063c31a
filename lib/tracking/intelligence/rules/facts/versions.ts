import { cellsOf } from "../text/outline";
import { lowerArticle, maxReadLineLength, nameOf, shownOf } from "../text/plain-text";
import type { ReadLine, Sides } from "../text/read-lines";
import { lastNameOf, subjectOf } from "../text/subject";
import { datePattern } from "./announcements";
import type { ValueContext, ValueFact } from "./kinds";

const ending =
  /\b(?:deprecat\w*|retire\w*|sunset\w*|shut ?down\w*|end[- ]of[- ](?:life|support)|eol|removal|removed|no longer)\b/i;
const everyDate = new RegExp(datePattern, "gi");

/** Returns the only value of two lists of the same length that differs, as `[old, now]`. */
function movedOf(old: readonly string[], now: readonly string[]): [string, string] | undefined {
  const at = now.findIndex((value, index) => value !== old[index]);
  return at < 0 || old.length !== now.length ? undefined : [old[at]!, now[at]!];
}

/** Returns the date of an end that a line moves, with what ends: a name in code, or the subject of the line. */
export function readEnds(line: ReadLine): ValueFact[] {
  if (line.isCode) return [];
  const at = line.header?.findIndex((name) => ending.test(name)) ?? -1;
  const code = /`([^`]{2,80})`/.exec(line.text.slice(0, maxReadLineLength))?.[1];
  if (!line.partner) {
    const [now] = at < 0 ? [] : (cellsOf(line.text.slice(0, maxReadLineLength))[at]?.match(everyDate) ?? []);
    return now ? [{ kind: "end", line, subject: code ? nameOf(code) : subjectOf(line), old: "", now }] : [];
  }
  if (at < 0 && !ending.test(`${line.path} ${shownOf(line.text)}`)) return [];
  const datesOf = ({ text }: ReadLine) => shownOf(text).match(everyDate) ?? [];
  const moved = movedOf(datesOf(line.partner), datesOf(line));
  return moved
    ? [{ kind: "end", line, subject: code ? nameOf(code) : subjectOf(line), old: moved[0], now: moved[1] }]
    : [];
}

const loaded =
  /^\s*(?:from ([\w.]{1,80}) import\b|import ([\w.]{1,80})\s*$|import\b.{0,200}\bfrom ["'](?!\.|\/|@\/)([^"']{1,80})["']|.{0,80}\brequire\(["'](?!\.|\/)([^"']{1,80})["'])|\b(?:npm (?:i|install)|pnpm add|yarn add|bun add|pip install|uv add|gem install|cargo add|composer require)\s+(?:-\S+ ){0,3}["'`]?(@?[\w./-]{2,80})/;

export function readPackages({ removed, added }: Sides, { isInOlder, isInNewer }: ValueContext): ValueFact[] {
  const onlyIn = (lines: readonly ReadLine[], isInOther: (value: string) => boolean) => {
    const found = lines.flatMap((line) => {
      const name = loaded.exec(line.text.slice(0, 500))?.slice(1).find(Boolean);
      return name === undefined ? [] : [[name, line] as const];
    });
    return [...new Map(found)].filter(([name]) => !isInOther(name));
  };
  const [gone, come] = [onlyIn(removed, isInNewer), onlyIn(added, isInOlder)];
  if (gone.length !== 1 || come.length !== 1) return [];
  const [[old], [now, line]] = [gone[0]!, come[0]!];
  return [{ kind: "package", line, subject: lastNameOf(line.path), old, now }];
}

/** A version after `@` or `==`, with three parts, or with one or two after "v" or "version", and the name before it. */
const version =
  /(@?[\w./-]{2,60})?["']?\s?(?:@|[=~<>^]=|: ?["'])["'^~v]{0,3}(\d+(?:\.[\w-]+){0,3})\b|(?<![\w.])v?(\d+\.\d+\.\d+)\b|\bv(?:ersion )?(\d+(?:\.\d+)?)\b/gi;
const packageWord = /\b(?:sdks?|librar(?:y|ies)|clients?|packages?|drivers?|cli|npm|pip|gem|cargo)\b/i;
/** What else is needed, with its version: `Python 3.10 or newer`, `requires Node.js 20`. */
const requirement =
  /\b(?:requir\w+|needs?|compatib\w+|at least)\b[^,;)]{0,60}|(?:\b[A-Z][\w.]{1,20} )?\bv?\d[\d.]{0,10} (?:or|and) (?:later|higher|newer|above)\b/gi;

export function readVersions(line: ReadLine): ValueFact[] {
  const { partner, path, header } = line;
  if (!partner || line.isCode !== partner.isCode) return [];
  const textOf = ({ text, isCode }: ReadLine) => (isCode ? text.slice(0, 500) : shownOf(text).replace(requirement, ""));
  const matchesOf = (each: ReadLine) => [...textOf(each).matchAll(version)];
  const now = matchesOf(line);
  const numberOf = ([, , ...numbers]: RegExpMatchArray) => numbers.find(Boolean)!;
  const moved = movedOf(matchesOf(partner).map(numberOf), now.map(numberOf));
  const name = now.find((match) => numberOf(match) === moved?.[1])?.[1];
  if (!moved || !(name || packageWord.test(`${path} ${header?.join(" ") ?? ""} ${textOf(line)}`))) return [];
  const subject = name && name !== "version" ? name : subjectOf(line, moved[1]).replace(moved[1], "").trim();
  return [{ kind: "version", line, subject: lowerArticle(subject), old: moved[0], now: moved[1] }];
}
