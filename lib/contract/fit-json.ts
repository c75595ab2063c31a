import { pageText, type TextPage } from "./text-page";

/** Characters that a value takes as JSON. */
export function jsonLength(value: unknown): number {
  return JSON.stringify(value).length;
}

/** The first items that take at most `maxLength` characters of JSON together; the first one in any case. */
export function firstFitting<Item>(items: readonly Item[], maxLength: number): Item[] {
  let room = maxLength;
  const end = items.findIndex((item, index) => {
    room -= jsonLength(item) + ",".length;
    return room < 0 && index > 0;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}

/** A text of at most `maxLength` characters, the last one an ellipsis where it was cut; never inside a character. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - 1);
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/**
 * A part of a text as `pageText` gives it, whose `maxLength` counts what it takes as JSON: there a control character
 * takes six. Throws AppError bad_request.
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
