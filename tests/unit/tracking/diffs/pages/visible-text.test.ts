import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toVisible } from "#lib/tracking/diffs/index";
import { maxShownLineLength, shortenLine } from "#lib/tracking/diffs/pages/show-hunks";

describe("text of a vendor", () => {
  test.each([
    ["a\u202Eb", "a[U+202E]b"],
    ["a\u200Bb", "a[U+200B]b"],
    ["\u0000\u001B[31m", "[U+0000][U+001B][31m"],
    ["x\u{E0041}y", "x[U+E0041]y"],
    ["lone \uD800 half", "lone [U+D800] half"],
    ["line\u2028end", "line[U+2028]end"],
    ["return\r", "return[U+000D]"],
    ["a\u200Db", "a[U+200D]b"],
  ])("shows the invisible characters in %j", (text, shown) => expect(toVisible(text)).toBe(shown));

  test.each(["\ttabbed", "<b>&amp;</b>", "日本語 ελληνικά עברית", "👩\u200D💻 ❤\uFE0F ⚡\uFE0F", "é e\u0301"])(
    "is not changed if all characters are visible: %j",
    (text) => expect(toVisible(text)).toBe(text),
  );

  test("never contains characters that reorder or hide others", () => {
    const nasty = fc.string({
      unit: fc.constantFrom("a", "\u202A", "\u2066", "\u200F", "\u061C", "\u0007", "\u200B", "\uFEFF"),
    });
    fc.assert(fc.property(nasty, (text) => /^[a-zA-Z0-9[\]+]*$/.test(toVisible(text))));
  });
});

describe("a long line", () => {
  test("is shown up to a limit, with the number of omitted characters", () => {
    const { text, omittedLength } = shortenLine("x".repeat(100_000));
    expect([text.length, omittedLength]).toEqual([maxShownLineLength, 100_000 - maxShownLineLength]);
    expect(shortenLine("x".repeat(maxShownLineLength)).omittedLength).toBe(0);
  });

  test("is not cut inside a character", () => {
    const line = `${"x".repeat(maxShownLineLength - 1)}${"😀".repeat(2)}`;
    expect(shortenLine(line)).toEqual({ text: "x".repeat(maxShownLineLength - 1), omittedLength: 4 });
  });
});
