import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareWords, type LinePart } from "#lib/tracking/diffs/pages/show-hunks";

const marked = (parts: readonly LinePart[]) =>
  parts.map(({ text, isChanged }) => (isChanged ? `<${text}>` : text)).join("");

describe("two versions of a line", () => {
  test.each([
    ["idle for five minutes", "idle for ten minutes", "idle for <five> minutes", "idle for <ten> minutes"],
    ["limit 8 MB a row", "limit 16 MB a row", "limit <8> MB a row", "limit <16> MB a row"],
    ["the same start", "the same start, and more", "the same start", "the same start<, and more>"],
    ["a release note", "a released note", "a <release> note", "a <released> note"],
    ["aaaa aaaa", "aaaa aaaa aaaa", "aaaa aaaa", "aaaa aaaa< aaaa>"],
  ])("%j and %j are divided at word boundaries", (before, after, wasMarked, isMarked) => {
    const words = compareWords(before, after);
    expect(words && [marked(words.before), marked(words.after)]).toEqual([wasMarked, isMarked]);
  });

  test("with little in common are not compared", () =>
    expect(compareWords("one thing here", "something else")).toBeNull());

  test("are divided without loss", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "-", "é", "😀"), maxLength: 30 });
    fc.assert(
      fc.property(text, text, text, text, (start, before, after, end) => {
        const [old, now] = [start + before + end, start + after + end];
        const words = compareWords(old, now);
        if (!words) return;
        const whole = (parts: readonly LinePart[]) => parts.map((part) => part.text).join("");
        expect([whole(words.before), whole(words.after)]).toEqual([old, now]);
        const kept = (parts: readonly LinePart[]) => whole(parts.filter(({ isChanged }) => !isChanged));
        expect(kept(words.before)).toBe(kept(words.after));
      }),
    );
  });
});
