import { formatCount } from "#lib/platform/format-count";
import { pageText, type TextPage } from "./text-page";

/** Returns the length of a value as JSON, in characters. */
export function jsonLength(value: unknown): number {
  return JSON.stringify(value).length;
}

/** Returns the first items that together take at most `maxLength` characters of JSON, but always at least one. */
export function firstFitting<Item>(items: readonly Item[], maxLength: number): Item[] {
  let remainingLength = maxLength;
  const end = items.findIndex((item, index) => {
    remainingLength -= jsonLength(item) + ",".length;
    return remainingLength < 0 && index > 0;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}

/** Shortens a text to at most `maxLength` characters, with an ellipsis and without splitting a surrogate pair. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - 1);
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** A sentence on changed things, and how many they are. */
export type ChangeSentence = { text: string; count: number };

/** Returns sentences on changed things, as many as fit, and how many are left out; there are `maxCount` at most. */
export function fitSentences(
  sentences: readonly ChangeSentence[],
  { noun, maxCount, maxLength }: { noun: string; maxCount: number; maxLength: number },
): string {
  let remainingLength = maxLength - ` And ${maxCount.toLocaleString("en")} more ${noun}s changed.`.length;
  const end = sentences.findIndex(({ text }) => {
    remainingLength -= text.length + " ".length;
    return remainingLength < 0;
  });
  const shown = (end === -1 ? sentences : sentences.slice(0, end)).map(({ text }) => text).join(" ");
  if (end === -1) return shown;
  const count = sentences.slice(end).reduce((sum, each) => sum + each.count, 0);
  return end === 0
    ? `${formatCount(count, noun)} changed.`
    : `${shown} And ${formatCount(count, `more ${noun}`)} changed.`;
}

/**
 * Returns one page of a text like `pageText`, but `maxLength` limits its length as JSON, in which a control character
 * takes six characters. Throws AppError invalid_cursor.
 */
export function pageJsonText(text: string, input: { cursor: string | null; maxLength: number }): TextPage {
  let { maxLength } = input;
  for (;;) {
    const page = pageText(text, { cursor: input.cursor, maxLength });
    const length = jsonLength(page.text);
    if (length <= input.maxLength) return page;
    maxLength = Math.floor((page.text.length * input.maxLength) / length) - 1;
  }
}
