import { createHash } from "node:crypto";
import { findLinks } from "#lib/tracking/diffs/index";
import { tagLinksOf, withoutTags } from "./markup";

/** Length up to which a line is analysed, in UTF-16 code units. */
export const maxReadLineLength = 4_000;
/** Longest name of a section or page in a report. */
const maxNameLength = 80;

const urlPattern = /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>"')\]]+/gi;
const codePattern = /`[^`]*`/g;
const linkTargetPattern = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?: "[^"]*")?\)/g;
/** Code and URLs, which are not wording and cannot be reformatted. */
const fixedPattern = /(`[^`]*`|\]\([^)\s]*\)|https?:\/\/[^\s<>)\]]+)/;
const controls = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const listMarks = /^(?:(?:[-*+•·–>]|\d{1,3}[.)]|#{1,6}|\[[ x]\])\s+){1,4}/i;

/** Backslashes before punctuation, and paths, whose parts are not words: `/docs/sdks/start`. */
const escapePattern = /\\([!-/:-@[-`{-~])/g;
const pathPattern = /(?<![\w.])\.{0,2}\/[\w.@-]{1,80}(?:\/[\w.@-]{0,80}){1,20}/g;

/** Returns the words of a line without code (replaced by a backtick), URLs, paths, tags and markdown. */
export function plainOf(line: string): string {
  return withoutTags(line.slice(0, maxReadLineLength).replace(codePattern, "`"))
    .replace(linkTargetPattern, "]")
    .replace(urlPattern, " ")
    .replace(pathPattern, " ")
    .replace(escapePattern, "$1")
    .replace(/[*_~[\]#]/g, "")
    .replace(/[’‘]/g, "'")
    .replace(/\s+/g, " ")
    .trim()
    .replace(listMarks, "");
}

/** Most sentences of a line that are read. */
const maxSentenceCount = 60;
/** Longest quotation of a line in a summary, in UTF-16 code units. */
const maxQuotedLength = 150;

/** Returns a text cut at a word, of limited length, without control characters. */
export function cutText(text: string, maxLength = maxQuotedLength): string {
  const line = text.slice(0, maxReadLineLength).replace(controls, " ").replace(/\s+/g, " ").trim();
  if (line.length <= maxLength) return line;
  const cut = line.slice(0, maxLength - 1);
  const space = cut.lastIndexOf(" ");
  // Does not split a surrogate pair.
  return `${cut.slice(0, space > maxLength / 2 ? space : maxLength - 1).replace(/[\ud800-\udbff\s,;:]+$/, "")}…`;
}

/** Returns a line as people read it: with its code, but without tags, markdown and the targets of links. */
export function shownOf(line: string): string {
  return withoutTags(line.slice(0, maxReadLineLength))
    .replace(linkTargetPattern, "]")
    .replace(escapePattern, "$1")
    .replace(/\*\*|__|~~|!?\[|[\]`]|<|>/g, "")
    .replace(controls, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(listMarks, "")
    .replace(/^:::+ ?[a-z]* ?/, "")
    .replace(/^\| ?| ?\|$/g, "");
}

/** Returns a heading or title without markdown, of limited length. */
export function nameOf(text: string): string {
  const name = withoutTags(text.slice(0, maxReadLineLength))
    .replace(linkTargetPattern, "]")
    .replace(controls, " ")
    .replace(/\\?\{#[^}]*\}\s*$/, "")
    .replace(/[*`~[\]<>]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/ #+$/, "");
  return name.length > maxNameLength
    ? `${Array.from(name)
        .slice(0, maxNameLength - 1)
        .join("")
        .trimEnd()}…`
    : name;
}

function foldWording(text: string): string {
  return text
    .replace(/[*_~<>[\]#]/g, "")
    .replace(/[“”]/g, '"')
    .replace(/[’‘]/g, "'")
    .replace(/[–—]/g, "-")
    .replace(/&amp;/g, "&")
    .toLowerCase();
}

/**
 * Returns a line without formatting: white space, list marks, emphasis, heading marks, case, and link syntax. Code and
 * URLs are kept as they are. Empty for a line without content.
 */
export function lineKey(line: string): string {
  if (line.length > maxReadLineLength) return createHash("sha256").update(line).digest("hex");
  const stripped = line
    .replace(controls, " ")
    .replace(escapePattern, "$1")
    .replace(/\s+/g, " ")
    .trim()
    .replace(listMarks, "");
  const parts = stripped.split(fixedPattern).map((part, index) => {
    if (index % 2 === 0) return foldWording(part);
    return part.startsWith("](") ? ` ${part.slice(2, -1)} ` : part.startsWith("`") ? part.slice(1, -1) : part;
  });
  const key = parts
    .join("")
    .replace(/ ?\| ?/g, "|")
    .replace(/\s+/g, " ")
    .replace(/ ?: ?(?!\/\/)/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.;,]+$/, "");
  return /^[-|:=* ]*$/.test(key) ? "" : key;
}

/** Returns names for a sentence: `A`, `A and B`, `A, B and 3 more`. */
export function listNames(names: readonly string[], maxCount = 3): string {
  const shown = names.slice(0, names.length === maxCount + 1 ? maxCount + 1 : maxCount);
  const left = names.length - shown.length;
  const all = left > 0 ? [...shown, `${left} more`] : shown;
  return all.length < 2 ? (all[0] ?? "") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** Returns `1 link`, `2 links`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A link with its title; the title is empty for a bare URL without text before it. */
export type TitledLink = { title: string; target: string };

/** Links, not images. */
const markdownLink = /(?<!!)\[([^[\]]{0,300})\]\(\s{0,4}<?((?:[^()\s<>]|\([^()\s<>]*\)){1,2048})/g;
const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** Whether a link's target is a relative URL of another page. */
export const isRelative = (target: string) => !scheme.test(target) && !target.startsWith("#");

/** Returns the markdown links of a line, otherwise its bare URLs, the first of which is titled by the text before it. */
export function findLineLinks(line: string): TitledLink[] {
  const text = line.slice(0, maxReadLineLength);
  if (text.includes("](")) {
    const links = [...text.matchAll(markdownLink)];
    if (links.length > 0) return links.map(([, title, target]) => ({ title: nameOf(title!), target: target! }));
  }
  const tagLinks = tagLinksOf(text);
  if (tagLinks.length > 0) return tagLinks.map(({ title, target }) => ({ title: nameOf(title), target }));
  if (!text.includes("://")) return [];
  const targets = [...findLinks(text)];
  const lead = targets[0] ? nameOf(plainOf(text.slice(0, text.indexOf(targets[0])))).replace(/\s*[:–—-]$/, "") : "";
  // Text that ends within an attribute or a link that began on another line is no title.
  const title = lead.length <= 60 && !/[=("'{]$/.test(lead) ? lead : "";
  return targets.map((target, index) => ({ title: index === 0 ? title : "", target }));
}

/** Returns a key that is equal for equivalent titles. */
export const titleKey = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Returns a key that is equal for URLs of one page: without scheme, `www.`, file extension and punctuation. */
export function addressKey(target: string): string {
  const stripped = target.replace(/^https?:\/\/(?:www\.)?/i, "").replace(/[?#].*$/s, "");
  return stripped
    .replace(/\/+$/, "")
    .replace(/\.(?:mdx?|html?|txt)$/i, "")
    .replace(/\/index$/i, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/]+/gu, "");
}

const relativeLink = /\]\(<?(?![a-z][a-z0-9+.-]{0,30}:|#)[^)\s<>]{1,2048}/gi;

/** Returns the end of a URL, its last two names and its fragment, by which moved pages can be recognized; or "". */
export function tailKey(target: string): string {
  const [path, fragment = ""] = target
    .replace(/^https?:\/\/[^/?#]*/i, "")
    .replace(/\?[^#]*/, "")
    .split("#");
  const names = path!
    .replace(/\.(?:mdx?|html?)$/i, "")
    .split("/")
    .filter(Boolean);
  return names.length < 2 ? "" : `${names.slice(-2).join("/")}#${fragment}`.toLowerCase();
}

/** Splits a text into sentences. */
export function splitSentences(text: string): string[] {
  return text.split(/(?<=[.!?;])(?<!\b(?:e\.g|i\.e|etc|vs)\.)\s/i).slice(0, maxSentenceCount);
}

/** Returns the number of distinct URLs that a text links to, including relative URLs of markdown links. */
export function countLinks(text: string): number {
  const relative = text.includes("](") ? new Set(text.match(relativeLink)) : new Set();
  return findLinks(text).size + relative.size;
}
