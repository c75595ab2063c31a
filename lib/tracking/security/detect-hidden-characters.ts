import { findPattern, type Match } from "./finding";
import type { Detector } from "./scanned-text";

/**
 * Fewest zero-width characters within words, and in a row, that score points. Documentation generators put one before each
 * heading, and copying leaves a few; those within words break them for filters, and rows encode a message.
 */
const [minWithinWordsCount, minRunLength] = [5, 8];

// Runs are matched a thousand characters at a time, because a run of millions would overflow the regex engine's stack.

const byteOrderMark = "\ufeff";
/** U+E0000 to U+E007F, each of which encodes a hidden ASCII character. */
const tags = /(?:\udb40[\udc00-\udc7f]){1,1000}/g;
/** Tags of a region's flag, which follow U+1F3F4: at most six letters or digits and the end mark. */
const flagTags = /^(?:\udb40[\udc30-\udc39\udc61-\udc7a]){1,6}\udb40\udc7f$/;
const blackFlag = "\u{1f3f4}";

const bidiControls = /[\u202a-\u202e\u2066-\u2069]{1,1000}/g;
/** No letter or emoji has more than one of them; a run of them encodes hidden bytes. */
const variationSelectors = /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){3,1000}/g;
const zeroWidth = /[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u3164\u115f\u1160\uffa0]/g;
/** Scripts that use joiners and zero-width spaces: Arabic, those of India and Southeast Asia, and Mongolian. */
const joiningScripts = /[\u0600-\u07ff\u0900-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]/;
/** What precedes a joiner within an emoji: a low surrogate, a variation selector or a symbol. */
const emojiPart = /[\udc00-\udfff\u2190-\u2bff]|\ufe0f/;
const letter = /[a-z\u00aa-\u052f]/i;

function isLegitimate(text: string, at: number): boolean {
  const [before = "", after = ""] = [text[at - 1], text[at + 1]];
  if (at === 0 && text.startsWith(byteOrderMark)) return true;
  if (joiningScripts.test(before) && joiningScripts.test(after)) return true;
  return text[at] === "\u200d" && emojiPart.test(before) && /[\ud83c-\ud83e\u2190-\u2bff]/.test(after);
}

function* detectZeroWidth(text: string): Generator<Match> {
  let [first, withinWordsCount, runStart, longestRun, end] = [-1, 0, 0, 0, -1];
  for (const { index } of text.matchAll(zeroWidth)) {
    if (isLegitimate(text, index)) continue;
    if (first < 0) first = index;
    if (index !== end) runStart = index;
    end = index + 1;
    longestRun = Math.max(longestRun, end - runStart);
    if (letter.test(text[runStart - 1] ?? "") && letter.test(text[end] ?? "")) withinWordsCount++;
  }
  const points = withinWordsCount >= minWithinWordsCount || longestRun >= minRunLength ? 3 : 0;
  if (first >= 0) yield { detector: "zero-width", points, start: first, end: first + 80 };
}

/** Finds invisible characters, in prose and code, because only models read what they encode or reorder. */
export const detectHiddenCharacters: Detector = function* ({ text }) {
  if (text.startsWith(byteOrderMark)) yield { detector: "byte-order-mark", points: 0, start: 0, end: 1 };
  for (const { index: start, 0: run } of text.matchAll(tags)) {
    if (text.startsWith(blackFlag, start - blackFlag.length) && flagTags.test(run)) continue;
    yield { detector: "tag-characters", points: 4, start, end: start + run.length };
  }
  yield* findPattern(text, variationSelectors, "variation-selectors", 4);
  yield* findPattern(text, bidiControls, "bidi-control", 4, 40);
  yield* detectZeroWidth(text);
};
