import { correctSpelling } from "./misspellings";
import groups from "./phrases/groups.json" with { type: "json" };

const zip = (from: string, to: string) => [...from].map((letter, index): [string, string] => [letter, to[index]!]);

/** Lowercase letters of other scripts that look like Latin ones, and ligatures. */
const lookalikes: ReadonlyMap<string, string> = new Map([
  ...zip("аеорсхуіјѕԁһԛԝαορντυικεıɡոօհս", "aeopcxyijsdhqwaopvtuikeignohu"),
  ["ß", "ss"],
]);

/** Words that the rules treat as one word. */
type Group = { name: string; words: readonly string[] };

/** Groups by their first word, the longest first. */
const groupsByFirst = new Map<string, Group[]>();
for (const [name, { phrases }] of Object.entries(groups)) {
  for (const phrase of phrases) {
    const words = phrase.split(" ");
    groupsByFirst.set(words[0]!, [...(groupsByFirst.get(words[0]!) ?? []), { name, words }]);
  }
}
for (const sameFirst of groupsByFirst.values()) sameFirst.sort((a, b) => b.words.length - a.words.length);

const isAscii = /^[\0-\x7f]*$/;
/** Replaces a character without a Latin lookalike; it ends a word. */
const separator = ".";
/** Most non-ASCII characters whose Latin form is cached. */
const maxFoldedCount = 4_096;
const folded = new Map<string, string>();

/** Returns the lowercase Latin letters that a character looks like: accented, full-width or of another script. */
function foldCharacter(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  const plain = character
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replace(/[’‘ʼ]/g, "'");
  const look = lookalikes.get(plain) ?? (/^[\x20-\x7e]{0,4}$/.test(plain) ? plain : separator);
  if (folded.size < maxFoldedCount) folded.set(character, look);
  return look;
}

function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  let plain = "";
  for (const character of text) plain += character < "\x80" ? character : foldCharacter(character);
  return plain.toLowerCase();
}

/** Stands for punctuation between words; marks of emphasis are skipped. */
export const pause = ",";

/** A word, or punctuation. */
const token = /[a-z0-9]+(?:['_-][a-z0-9]+){0,8}|[^a-z0-9\s*_~]+/g;
/** Articles of Romance languages that are written together with the next word. */
const elided = /^(?:l|d|qu|dell|all|nell|sull|dall|quest)'(?=.)/;

/** URLs and e-mail addresses, whose parts are no words. */
const locator = /\b[a-z]{3,6}:\/\/[^\s"'<>]{1,2000}|[\w.+-]{1,64}@[\w.-]{1,253}/gi;
const withoutLocators = (text: string) =>
  text.includes("://") || text.includes("@") ? text.replace(locator, " url ") : text;

function readTokens(sentence: string): string[] {
  const tokens: string[] = [];
  for (const found of fold(withoutLocators(sentence)).match(token) ?? []) {
    const unit = found.charCodeAt(0);
    const isWord = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
    if (!isWord) tokens.push(pause);
    else tokens.push(correctSpelling(found.includes("'") ? found.replace(elided, "") : found));
  }
  return tokens;
}

function groupAt(tokens: readonly string[], at: number): Group | undefined {
  return groupsByFirst.get(tokens[at]!)?.find(({ words }) => words.every((word, index) => tokens[at + index] === word));
}

/**
 * Returns the words of a sentence in lowercase Latin letters, with groups such as `do not` as one word, misspellings of
 * the rules' main words corrected, and `pause` for punctuation.
 */
export function tokensOf(sentence: string): string[] {
  const tokens = readTokens(sentence);
  const grouped: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const group = groupAt(tokens, at);
    grouped.push(group?.name ?? tokens[at]!);
    at += group?.words.length ?? 1;
  }
  return grouped;
}

/** Returns the words of a sentence as `tokensOf` does, without punctuation. */
export function wordsOf(sentence: string): string[] {
  return tokensOf(sentence).filter((word) => word !== pause);
}
