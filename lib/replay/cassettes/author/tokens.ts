import type { Random } from "./seeded-random";

/**
 * Matches pieces about as long as a language model's tokens: a short word with the space before it, a few digits, one
 * or two characters of a script without spaces, a run of punctuation, or a run of white space.
 */
const tokenPattern =
  / ?(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}|\p{N}{1,3}|[\p{L}\p{M}]{1,9}|[^\s\p{L}\p{M}\p{N}]{1,3})|\s{1,8}/gsu;

/** Splits text into token-like pieces. Joined, they are the text again. */
export function splitTokens(text: string): string[] {
  return text.match(tokenPattern) ?? [];
}

/** Splits text into the text of each delta: between `minimum` and `maximum` tokens. */
export function splitBursts(text: string, [minimum, maximum]: readonly [number, number], random: Random): string[] {
  const tokens = splitTokens(text);
  const bursts: string[] = [];
  for (let position = 0; position < tokens.length; ) {
    const end = position + random.integer(minimum, maximum);
    bursts.push(tokens.slice(position, end).join(""));
    position = end;
  }
  return bursts;
}
