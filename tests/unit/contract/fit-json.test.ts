import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstFitting, jsonLength, pageJsonText, shorten } from "#lib/contract/fit-json";

describe("a page of a text as JSON", () => {
  it("joins to the text and stays within its bound, whatever has to be escaped", () => {
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

describe("the first fitting items", () => {
  it("are as many as fit, in their order", () => {
    expect(firstFitting(["aaaa", "bbbb", "cccc"], 14)).toEqual(["aaaa", "bbbb"]);
    expect(firstFitting(["aaaa", "bbbb", "cccc"], 13)).toEqual(["aaaa"]);
    expect(firstFitting(["aaaa", "bbbb", "cccc"], 21)).toEqual(["aaaa", "bbbb", "cccc"]);
    expect(firstFitting([], 10)).toEqual([]);
  });

  it("are one at least", () => {
    expect(firstFitting(["a long one", "b"], 3)).toEqual(["a long one"]);
  });
});

describe("a shortened text", () => {
  it("is the text where it is short, and never ends inside a character", () => {
    expect([shorten("abc", 3), shorten("abcd", 3), shorten("a😀bc", 3)]).toEqual(["abc", "ab…", "a…"]);
  });
});
