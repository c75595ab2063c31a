import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstFitting, jsonLength, pageJsonText, shorten } from "#lib/contract/fit-json";

describe("pages of a text as JSON", () => {
  it("join to the text and stay within the limit, whatever has to be escaped", () => {
    const unit = fc.constantFrom("a", "\n", '"', "\\", "\u0000", "\u001b", "ä", "😀", "line\n");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 400 }), fc.integer({ min: 20, max: 200 }), (text, maxLength) => {
        const parts: string[] = [];
        let cursor: string | null = null;
        do {
          const page = pageJsonText(text, { cursor, maxLength });
          expect(jsonLength(page.text)).toBeLessThanOrEqual(maxLength);
          parts.push(page.text);
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(parts.join("")).toBe(text);
      }),
    );
  });
});

describe("firstFitting", () => {
  it("returns as many items as fit, in order", () => {
    expect(firstFitting(["aaaa", "bbbb", "cccc"], 14)).toEqual(["aaaa", "bbbb"]);
    expect(firstFitting(["aaaa", "bbbb", "cccc"], 13)).toEqual(["aaaa"]);
    expect(firstFitting(["aaaa", "bbbb", "cccc"], 21)).toEqual(["aaaa", "bbbb", "cccc"]);
    expect(firstFitting([], 10)).toEqual([]);
  });

  it("returns at least one item", () => {
    expect(firstFitting(["a long one", "b"], 3)).toEqual(["a long one"]);
  });
});

describe("shorten", () => {
  it("leaves a short text unchanged and never cuts inside a character", () => {
    expect([shorten("abc", 3), shorten("abcd", 3), shorten("a😀bc", 3)]).toEqual(["abc", "ab…", "a…"]);
  });
});
