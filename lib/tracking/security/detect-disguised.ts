import { detectInstructions } from "./detect-instructions";
import { type Detector, excerptOf, type Match, scanText } from "./finding";

/** How much of a line is read on each side of a disguise, in UTF-16 code units, and how many lines are. */
const maxReach = 600;
const maxLineCount = 10_000;

/** A way to disguise text, and how to read it. `decode` gets a line, or what `pattern` matches if `isWhole` is false. */
type Disguise = { pattern: RegExp; isWhole: boolean; decode: (text: string) => string };

const namedEntities = new Map(Object.entries({ nbsp: " ", amp: "&", quot: '"', apos: "'", ensp: " ", emsp: " " }));
const maxCodePoint = 0x10ffff;
const fromCode = (code: number) => (code <= maxCodePoint ? String.fromCodePoint(code) : " ");

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (entity, decimal, hex, name) => {
    if (decimal !== undefined) return fromCode(Number(decimal));
    if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
    return namedEntities.get(name.toLowerCase()) ?? entity;
  });
}

const decodeHex = (text: string) => Buffer.from(text.replace(/[^\da-f]/gi, ""), "hex").toString();
const decodeEscapes = (text: string) =>
  text.replace(/(?:\\x|%|\\u00|0x)([\da-f]{2})[ ,]?/gi, (_, hex) => fromCode(Number.parseInt(hex, 16)));

const letterA = 97;
const rotate = (text: string) =>
  text
    .toLowerCase()
    .replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - letterA + 13) % 26) + letterA));
const reverse = (text: string) => [...text].reverse().join("");

/** Words of overrides, where no gap shows the ends of words. */
const joined =
  /ignore|disregard|forget|override|reveal|print|follow|previous|prior|earlier|above|instructions?|directives?|guidelines?|rules|prompts?|system|everything|all|any|the|your/gi;
const longestWord = 16;

/** Joins letters that are one separator apart; wider gaps are spaces between words. */
const joinLetters = (text: string) =>
  text
    .split(/ {2,}|\t| *[/|] */)
    .map((word) => word.replace(/[ .·*_-]/g, ""))
    .map((word) => (word.length > longestWord ? word.replace(joined, " $& ") : word))
    .join(" ");

const disguises: readonly Disguise[] = [
  { pattern: /&(?:#\d{2,7}|#x[\da-f]{2,6}|nbsp|ensp|emsp);/gi, isWhole: true, decode: decodeEntities },
  // Markup within words: "Ig<b></b>nore", "**Ig**nore".
  {
    pattern: /[a-z](?:<(?:\/?[a-z]{1,8}[^<>]{0,40}|!--[^<>]{0,40}--)>){1,4}[a-z]/gi,
    isWhole: true,
    decode: (text) => text.replace(/<[^<>]{0,60}>/g, ""),
  },
  { pattern: /[a-z]\*{1,3}[a-z]/gi, isWhole: true, decode: (text) => text.replaceAll("*", "") },
  // Zero-width characters instead of spaces.
  {
    pattern: /[a-z][\u200b-\u200d\u2060-\u2064\ufeff]{1,4}[a-z]/gi,
    isWhole: true,
    decode: (text) => text.replace(/[\u200b-\u200d\u2060-\u2064\ufeff]{1,100}/g, " "),
  },
  {
    pattern: /(?:\\x|%|\\u00|0x)[2-7][\da-f](?:[ ,]?(?:\\x|%|\\u00|0x)[2-7][\da-f]){9,400}/gi,
    isWhole: false,
    decode: decodeEscapes,
  },
  { pattern: /(?<![\da-z])[2-7][\da-f](?: ?[2-7][\da-f]){19,400}(?![\da-z])/gi, isWhole: false, decode: decodeHex },
  { pattern: /(?<![a-z])(?:[a-z][ .·*_-]{1,4}){9,200}[a-z](?![a-z])/gi, isWhole: false, decode: joinLetters },
  // Words that the rules look for, rotated by 13 letters or reversed.
  {
    pattern: /\b(?:vtaber|qvfertneq|sbetrg|bireevqr|vafgehpgvbaf?|thvqryvarf|cebzcgf?|erirny)\b/gi,
    isWhole: true,
    decode: rotate,
  },
  { pattern: /\b(?:erongi|dragersid|edirrevo|snoitcurtsni|senilediug|tpmorp)\b/gi, isWhole: true, decode: reverse },
];

/** Returns the line around a range, as far as it is read. */
function lineAround(text: string, start: number, end: number): { start: number; end: number } {
  const before = text.slice(Math.max(0, start - maxReach), start);
  const after = text.slice(end, end + maxReach);
  const feed = after.indexOf("\n");
  return { start: start - before.length + before.lastIndexOf("\n") + 1, end: end + (feed < 0 ? after.length : feed) };
}

function* detectDisguise(prose: string, { pattern, isWhole, decode }: Disguise): Generator<Match> {
  let [count, readUpTo] = [0, 0];
  for (const { index, 0: found } of prose.matchAll(pattern)) {
    if (index < readUpTo) continue;
    if (count++ >= maxLineCount) return;
    const range = isWhole
      ? lineAround(prose, index, index + found.length)
      : { start: index, end: index + found.length };
    readUpTo = range.end;
    const text = decode(prose.slice(range.start, range.end));
    for (const { start, end, ...match } of detectInstructions(scanText(text, ""))) {
      yield { ...match, ...range, excerpt: excerptOf(text, start, end) };
    }
  }
}

/**
 * Finds instructions that are written so that filters do not recognise them: as entities or escapes, in hexadecimal digits,
 * with markup within words or spaces between letters, rotated or reversed. Ignores code.
 */
export const detectDisguised: Detector = function* ({ prose }) {
  for (const disguise of disguises) yield* detectDisguise(prose, disguise);
};
