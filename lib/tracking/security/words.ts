import { LRUCache } from "lru-cache";
import { markAddresses } from "./addresses";
import groups from "./phrases/groups.json" with { type: "json" };
import { pause, splitWords, type WordList, wordClass } from "./rules";

const zip = (from: string, to: string) => [...from].map((letter, index): [string, string] => [letter, to[index]!]);

/** Lowercase letters of other scripts that look like Latin ones, and ligatures. */
const lookalikes: ReadonlyMap<string, string> = new Map([
  ...zip("аеорсхуіјѕԁһԛԝαορντυικεıɡոօհս", "aeopcxyijsdhqwaopvtuikeignohu"),
  ["ß", "ss"],
]);

type Group = { name: string; words: readonly string[] };

const groupsByFirst = new Map<string, Group[]>();
for (const [name, phrases] of Object.entries<WordList>(groups)) {
  for (const words of splitWords(phrases, ", ").map((phrase) => phrase.split(" ")))
    groupsByFirst.set(words[0]!, [...(groupsByFirst.get(words[0]!) ?? []), { name, words }]);
}
for (const sameFirst of groupsByFirst.values()) sameFirst.sort((a, b) => b.words.length - a.words.length);

/** Replaces a character without a Latin lookalike; it ends a word. */
const separator = ".";
const maxCachedCount = 20_000;

function cached(compute: (text: string) => string): (text: string) => string {
  const cache = new LRUCache<string, string>({ max: maxCachedCount, memoMethod: compute });
  return (text) => cache.memo(text);
}

const foldCharacter = cached((character) => {
  const letters = character.normalize("NFKD").toLowerCase();
  const plain = letters.replace(/[\p{M}\p{Cf}]/gu, "").replace(/[’‘ʼ]/g, "'");
  return lookalikes.get(plain) ?? (/^[\x20-\x7e]{0,4}$/.test(plain) ? plain : separator);
});

function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  let plain = "";
  for (const character of text) plain += character < "\x80" ? character : foldCharacter(character);
  return plain.toLowerCase();
}

/** Words that are recognised with one letter between the first and the last missing, added, replaced or swapped. */
const corrected = [...wordClass("CORRECTED")];
const distinct = wordClass("DISTINCT|CORRECTED");
const misspellings = corrected.map((word) => {
  const edits = [...word].slice(1, -1).map((letter, before) => {
    const [start, rest] = [word.slice(0, before + 1), word.slice(before + 2)];
    return `${start}(?:.{0,2}${rest}|${rest[0]}${letter}${rest.slice(1)})`;
  });
  return { word, pattern: new RegExp(`^(?:${edits.join("|")}|${word.slice(0, -1)})$`) };
});
const digits: Readonly<Record<string, string>> = { "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t" };

const correctLong = cached((word) => {
  if (distinct.has(word)) return word;
  const letters = word.replace(/[013457]/g, (digit) => digits[digit]!);
  if (letters !== word) return corrected.includes(letters) ? letters : word;
  return misspellings.find(({ pattern }) => pattern.test(word))?.word ?? word;
});
const correctSpelling = (word: string) => (word.length < 5 ? word : correctLong(word));

/** A word, a mark such as `@address`, or punctuation; marks of emphasis are skipped. */
const token = /@(?:address|own|file)(?= )|[a-z0-9]+(?:['_-][a-z0-9]+){0,8}|[^a-z0-9\s*_~]+/g;
/** Articles of Romance languages that are written together with the next word. */
const elided = /^(?:l|d|qu|dell|all|nell|sull|dall|quest)'(?=.)/;
const number = "#";

function readToken(found: string): string {
  const unit = found.charCodeAt(0);
  if (found.startsWith("@")) return found;
  if (unit >= 97 && unit <= 122) return correctSpelling(found.includes("'") ? found.replace(elided, "") : found);
  if (unit < 48 || unit > 57) return pause;
  const word = correctSpelling(found);
  return /^\d/.test(word) ? number : word;
}

const groupAt = (tokens: readonly string[], at: number) =>
  groupsByFirst.get(tokens[at]!)?.find(({ words }) => words.every((word, index) => tokens[at + index] === word));

/**
 * Returns the words of a sentence in lowercase Latin letters, with groups such as `do not` as one word, misspellings of
 * the rules' main words corrected, `pause` for punctuation, and `@address` for an address outside the domain `own`, `@own`
 * for one within, `@file` for a private file or variable.
 */
export function tokensOf(sentence: string, own = ""): string[] {
  const tokens = (fold(markAddresses(sentence, own)).match(token) ?? []).map(readToken);
  const grouped: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const group = groupAt(tokens, at);
    grouped.push(group?.name ?? tokens[at]!);
    at += group?.words.length ?? 1;
  }
  return grouped;
}
