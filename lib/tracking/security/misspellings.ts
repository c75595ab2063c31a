import spelling from "./phrases/spelling.json" with { type: "json" };
import { readWords } from "./word-lists";

const { corrected: known, distinct } = readWords(spelling);
const corrected = [...known];

type Deletion = { word: string; at: number };

/** The corrected words by what remains of them without one letter. */
const deletions = new Map<string, Deletion[]>();
const without = (word: string, at: number) => word.slice(0, at) + word.slice(at + 1);
for (const word of corrected) {
  for (let at = 1; at < word.length - 1; at++) {
    const rest = without(word, at);
    deletions.set(rest, [...(deletions.get(rest) ?? []), { word, at }]);
  }
}
/** The corrected words by what remains of them without their last letter. */
const truncated = new Map(corrected.map((word) => [word.slice(0, -1), word]));
const initials = new Set(corrected.map((word) => word[0]!));
const [shortest, longest] = [5, Math.max(...corrected.map(({ length }) => length)) + 1];

/** Digits that stand for letters: `1gn0r3`. */
const digits: Readonly<Record<string, string>> = { "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t" };

function readDigits(word: string): string {
  const letters = word.replace(/[013457]/g, (digit) => digits[digit]!);
  return known.has(letters) ? letters : word;
}

/** Most words whose correction is cached. */
const maxCachedCount = 20_000;
const cached = new Map<string, string>();

function findCorrection(word: string): string {
  const complete = deletions.get(word)?.[0]?.word ?? truncated.get(word);
  if (complete) return complete;
  for (let at = 1; at < word.length - 1; at++) {
    const rest = without(word, at);
    if (known.has(rest)) return rest;
    // Same place: a replaced letter. Neighbouring places: two swapped letters.
    const match = deletions.get(rest)?.find((deletion) => Math.abs(deletion.at - at) <= 1);
    if (match && match.word.length === word.length) return match.word;
  }
  return word;
}

/**
 * Returns the corrected word that a lowercase word is within one edit of, otherwise the word itself. The first letter
 * must be right, and the last one right or missing, so that inflections such as `ignores` stay.
 */
export function correctSpelling(word: string): string {
  if (word.length < shortest || word.length > longest) return word;
  if (/\d/.test(word)) return readDigits(word);
  if (!initials.has(word[0]!) || known.has(word)) return word;
  if (distinct.has(word)) return word;
  const before = cached.get(word);
  if (before !== undefined) return before;
  const correction = findCorrection(word);
  if (cached.size < maxCachedCount) cached.set(word, correction);
  return correction;
}
