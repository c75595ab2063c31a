import { expect, test } from "vitest";
import { findChangingText } from "#lib/replay/recording-proxy/changing-text";
import { replaceVolatileText } from "#lib/replay/recording-proxy/volatile-text";

const between = (before: unknown, after: unknown, pointer = "/messages/0/content") =>
  findChangingText([{ pointer, before, after }]);

test.each([
  [
    "Today is Friday, 27 November 2026. Be brief.",
    "Friday, 27 November 2026.",
    "Today is \\p{L}+, \\d+ \\p{L}+ \\d+\\.",
  ],
  ["27 November 2026 is today.\nUse 3 tools.", "27 November 2026", "^\\d+ \\p{L}+ \\d+"],
  ["Write to the folder run-8f3a. Use 3 tools.", "run-8f3a.", "to the folder \\p{L}+-[\\p{L}\\d]+\\."],
  ["Is (12:30) a good time?", "(12:30)", "Is \\(\\d+:\\d+\\)"],
])("of %j, the part that changes gets an expression that matches other values", (text, part, expression) => {
  const later = text
    .replace("Friday, 27", "Saturday, 28")
    .replace(/^27/, "28")
    .replace("8f3a", "77bcd")
    .replace("2:30", "4:05");
  const found = between(text, later);
  expect(found).toMatchObject({ parts: [{ before: part }], expressions: [expression] });
  const replaced = (each: string) => replaceVolatileText(each, [new RegExp(expression, "gu")]);
  expect(replaced(text)).toBe(replaced(later));
  const nextMonth = text.replace(/\w+, 27 November/, "Tuesday, 1 December").replace("27 Nov", "1 Dec");
  expect(replaced(nextMonth)).toBe(replaced(text));
});

test.each([
  ["words without digits may be what a request is about", "Pack for a week in Lisbon?", "Pack for a week in Porto?"],
  ["what replaces other texts is in no request", "At <volatile> 27 guests came.", "At <volatile> 28 guests came."],
  ["a word was added", "Day 27 of the trip.", "Day 27 b of the trip."],
])("there is no expression where %s", (_name, before, after) => {
  expect(between(before, after)?.expressions).toEqual([]);
  expect(between(before, after)?.parts).toHaveLength(1);
});

test.each([
  ["a model", "gpt-5.1", "gpt-5.2", "/model"],
  ["a number", 1, 2, "/temperature"],
  ["a path", "POST /v1/a 1", "POST /v1/a 2", ""],
  ["all of a text", "One two 3 four.", "Five six 7 eight."],
  ["four parts", "1 a a a 2 a a a 3 a a a 4 a", "5 a a a 6 a a a 7 a a a 8 a"],
  ["a field that is new", undefined, "One two 3."],
])("%s is no text that changes in few words", (_name, before, after, pointer?: string) => {
  expect(between(before, after, pointer)?.expressions ?? []).toEqual([]);
});
