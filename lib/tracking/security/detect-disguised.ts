import { detectInstructions } from "./detect-instructions";
import { excerptOf, type Match } from "./finding";
import { type Detector, scanText } from "./scanned-text";
import { lineAround } from "./sentences";

const maxReach = 600;
const maxLineCount = 10_000;

/** How to find disguised text, to decode it, and how much of its line is decoded with it. */
type Disguise = readonly [pattern: RegExp, decode: (text: string) => string, reach: number];

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

const rotate = (text: string) =>
  text.toLowerCase().replace(/[a-z]/g, (letter) => fromCode(97 + ((letter.charCodeAt(0) - 97 + 13) % 26)));
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

const invisible = /[\u200b-\u200d\u2060-\u2064\ufeff]{1,100}/g;

const disguises: readonly Disguise[] = [
  [/&(?:#\d{2,7}|#x[\da-f]{2,6}|nbsp|ensp|emsp);/gi, decodeEntities, maxReach],
  // Markup within words: "Ig<b></b>nore", "**Ig**nore", and zero-width characters instead of spaces.
  [
    /[a-z](?:<(?:\/?[a-z]{1,8}[^<>]{0,40}|!--[^<>]{0,40}--)>){1,4}[a-z]/gi,
    (text) => text.replace(/<[^<>]{0,60}>/g, ""),
    maxReach,
  ],
  [/[a-z]\*{1,3}[a-z]/gi, (text) => text.replaceAll("*", ""), maxReach],
  [/[a-z][\u200b-\u200d\u2060-\u2064\ufeff]{1,4}[a-z]/gi, (text) => text.replace(invisible, " "), maxReach],
  [/(?:\\x|%|\\u00|0x)[2-7][\da-f](?:[ ,]?(?:\\x|%|\\u00|0x)[2-7][\da-f]){9,400}/gi, decodeEscapes, 0],
  [/(?<![\da-z])[2-7][\da-f](?: ?[2-7][\da-f]){19,400}(?![\da-z])/gi, decodeHex, 0],
  [/(?<![a-z])[a-z][ .·*_-]{1,4}(?:[a-z][ .·*_-]{1,4}){8,199}[a-z](?![a-z])/gi, joinLetters, 0],
  // Words that the rules look for, rotated by 13 letters or reversed.
  [/\b(?:vtaber|qvfertneq|sbetrg|bireevqr|vafgehpgvbaf?|thvqryvarf|cebzcgf?|erirny)\b/gi, rotate, maxReach],
  [/\b(?:erongi|dragersid|edirrevo|snoitcurtsni|senilediug|tpmorp)\b/gi, reverse, maxReach],
];

function* detectDisguise(prose: string, [pattern, decode, reach]: Disguise): Generator<Match> {
  let [count, readUpTo] = [0, 0];
  for (const { index, 0: found } of prose.matchAll(pattern)) {
    if (index < readUpTo) continue;
    if (count++ >= maxLineCount) return;
    const { before, after } = lineAround(prose, index, index + found.length, reach);
    readUpTo = index + found.length + after.length;
    const text = decode(before + found + after);
    const range = { start: index - before.length, end: readUpTo };
    for (const { start, end, ...match } of detectInstructions(scanText(text, "")))
      yield { ...match, ...range, excerpt: excerptOf(text, start, end) };
  }
}

/**
 * Finds instructions that are written so that filters do not recognise them: as entities or escapes, in hexadecimal digits,
 * with markup within words or spaces between letters, rotated or reversed. Ignores code.
 */
export const detectDisguised: Detector = function* ({ prose }) {
  for (const disguise of disguises) yield* detectDisguise(prose, disguise);
};
