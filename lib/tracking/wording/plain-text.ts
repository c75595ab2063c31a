import { createHash } from "node:crypto";
import { withoutTags } from "./markup";

export const maxReadLineLength = 4_000;
/** Longest name of a section or page in a report, and longest quotation of a line in a summary. */
const [maxNameLength, maxQuotedLength] = [80, 150];
const maxSentenceCount = 60;

const urlPattern = /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>"')\]]+/gi;
const linkTargetPattern = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?(?: "[^"]*")?\)/g;
/** Code and URLs, which are not wording and cannot be reformatted. */
const fixedPattern = /(`[^`]*`|\]\([^)\s]*\)|https?:\/\/[^\s<>)\]]+)/;
const controls = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
/** The mark of a task that is done, which is content, unlike that of an open one. */
const doneMark = /^(\s*(?:[-*+]|\d{1,3}\.)\s+)\[x\](?=\s)/i;
const listMarks = /^(?:(?:[-*+•·–>]|[-~!]>|\d{1,3}[.)]|#{1,6}|\[[ x]\])\s+){1,4}/i;
/** The mark of a callout: `> [!NOTE]`, `:::caution`. Alone it says nothing. */
const calloutMark = /^(?:\[?![a-z]{3,20}\]?|:{3,}(?: ?[a-z]{3,20})?)(?=\s|$) ?/i;
/** Backslashes before punctuation, and paths, whose parts are not words: `/docs/sdks/start`. */
const escapePattern = /\\([!-/:-@[-`{-~])/g;
const pathPattern = /(?<![\w.])\.{0,2}\/[\w.@-]{1,80}(?:\/[\w.@-]{0,80}){1,20}/g;

const inOneLine = (text: string) =>
  text.replace(controls, " ").replace(/\s+/g, " ").trim().replace(listMarks, "").replace(calloutMark, "");

/** Returns the words of a line without code (replaced by a backtick), URLs, paths, tags and markdown. */
export function plainOf(line: string): string {
  const words = withoutTags(line.slice(0, maxReadLineLength).replace(/`[^`]*`/g, "`"))
    .replace(linkTargetPattern, "]")
    .replace(urlPattern, " ")
    .replace(pathPattern, " ")
    .replace(escapePattern, "$1")
    .replace(/[*_~[\]#]/g, "")
    .replace(/[’‘]/g, "'");
  return inOneLine(words);
}

export const codePattern = /`([^`]*)`/g;
/** First of the private characters that stand for the pieces of code of a line. */
const firstPlace = 0xe000;

/** Returns a line as people read it: with its code, but without tags, markdown and the targets of links. */
export function shownOf(line: string): string {
  const codes: string[] = [];
  const place = (_all: string, code: string) => String.fromCharCode(firstPlace + codes.push(code) - 1);
  const shown = withoutTags(line.slice(0, maxReadLineLength).replace(codePattern, place))
    .replace(linkTargetPattern, "]")
    .replace(escapePattern, "$1")
    .replace(/<(https?:[^>\s]*)>/g, "$1")
    .replace(/\*\*|__|~~|!?\[(?!!)|\[|[\]`]/g, "");
  return inOneLine(shown)
    .replace(/^\| ?| ?\|$/g, "")
    .replace(/[\ue000-\uf8ff]/g, (mark) => codes[mark.charCodeAt(0) - firstPlace]?.replace(controls, " ") ?? mark);
}

export function cutText(text: string, maxLength = maxQuotedLength): string {
  const line = text.slice(0, maxReadLineLength).replace(controls, " ").replace(/\s+/g, " ").trim();
  if (line.length <= maxLength) return line;
  const cut = line.slice(0, maxLength - 1);
  const space = cut.lastIndexOf(" ");
  // Does not split a surrogate pair.
  return `${cut.slice(0, space > maxLength / 2 ? space : maxLength - 1).replace(/[\ud800-\udbff\s,;:]+$/, "")}…`;
}

export function nameOf(text: string): string {
  const name = withoutTags(text.slice(0, maxReadLineLength))
    .replace(linkTargetPattern, "]")
    .replace(controls, " ")
    .replace(/\\?\{#[^}]*\}\s*$/, "")
    .replace(/[*`~[\]<>]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/ #+$/, "");
  if (name.length <= maxNameLength) return name;
  const letters = Array.from(name).slice(0, maxNameLength - 1);
  return `${letters.join("").trimEnd()}…`;
}

/** Marks of emphasis, links and tags, not those between numbers or names, such as `<` before a number, and wildcards. */
const marks =
  /(?<![\p{L}\p{N}/])\*(?!\s|\.\w)|(?<![\s/])\*(?![\p{L}\p{N}]|\.\w)|~~|[[\]]|<(?=[a-z/!]|$)|(?<=[\w"'/-]|^)>|\s#+\s*$/giu;
const underscored = /(?<![\p{L}\p{N}_])(_{1,3})([^_]{1,300})\1(?![\p{L}\p{N}_])/gu;
/** Names whose case counts, such as `maxTokens`, `max_tokens` and paths. */
const casedName = /\p{Ll}\p{Lu}|[_/]/u;

/** Returns a text in lower case, but for names whose case counts. */
export const foldCase = (text: string) =>
  casedName.test(text)
    ? text.replace(/\S+/g, (word) => (casedName.test(word) ? word : word.toLowerCase()))
    : text.toLowerCase();

/**
 * Returns a line without formatting: white space, list marks, emphasis, heading marks, case, and link syntax. Code and
 * URLs are kept as they are. Empty for a line without content.
 */
export function lineKey(line: string): string {
  if (line.length > maxReadLineLength) return createHash("sha256").update(line).digest("hex");
  const parts = inOneLine(line.replace(controls, " ").replace(doneMark, "$1✓").replace(escapePattern, "$1")).split(
    fixedPattern,
  );
  const folded = parts.map((part, index) => {
    if (index % 2 === 1) return part.startsWith("](") ? ` ${part.slice(2, -1)} ` : part.replaceAll("`", "");
    const plain = foldCase(part.replace(marks, "").replace(underscored, "$2").replace(/&amp;/g, "&"));
    return plain.replace(/[“”]/g, '"').replace(/[’‘]/g, "'").replace(/[–—]/g, "-");
  });
  const key = folded
    .join("")
    .replace(/ ?\| ?/g, "|")
    .replace(/\s*:(?=\s|$)/g, " ")
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

export const capitalize = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Returns a name for the middle of a sentence: `the API`. */
export const lowerArticle = (name: string) =>
  name.replace(/^(?:The|An?|Our|Each|Every)\b/, (word) => word.toLowerCase());

/** The months of languages that write the day as `1. März`; its point ends no sentence. */
const months = ["de", "da", "nb", "fi", "cs"].flatMap((language) => {
  const { format } = new Intl.DateTimeFormat(language, { month: "long", day: "numeric", timeZone: "UTC" });
  return Array.from({ length: 12 }, (_, month) => format(Date.UTC(2026, month, 1)).replace(/^1\. ?/, ""));
});
const sentenceEnd = new RegExp(
  `(?<=[.!?;])(?<!\\b(?:e\\.g|i\\.e|etc|vs)\\.)(?!(?<=\\b\\d{1,2}\\.)\\s(?:${months.join("|")}))\\s`,
  "iu",
);

export const splitSentences = (text: string) => text.split(sentenceEnd).slice(0, maxSentenceCount);

export const titleKey = (title: string) => (title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
