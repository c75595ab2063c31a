import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageText } from "#lib/contract/text-page";

function walk(text: string, maxLength: number): string[] {
  const parts: string[] = [];
  let cursor: string | null = null;
  do {
    const page = pageText(text, { cursor, maxLength });
    parts.push(page.text);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return parts;
}

describe("pages of a text", () => {
  it("join to the text; none is too long, and none splits a character", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 2, max: 50 }),
        (text, maxLength) => {
          const parts = walk(text, maxLength);
          expect(parts.join("")).toBe(text);
          for (const part of parts) {
            expect(part.length).toBeLessThanOrEqual(maxLength);
            expect(part).not.toMatch(/\p{Surrogate}/u);
          }
        },
      ),
    );
  });

  it("end after a line if possible", () => {
    expect(walk("one\ntwo\nthree\n", 8)).toEqual(["one\ntwo\n", "three\n"]);
  });

  it("reject a cursor of a text that has changed, and an invalid one", () => {
    const { nextCursor } = pageText("abcdef", { cursor: null, maxLength: 3 });
    const refusal = (text: string, cursor: string | null) => expect(() => pageText(text, { cursor, maxLength: 3 }));
    refusal("abcdeg", nextCursor).toThrow(
      expect.objectContaining({ code: "invalid_cursor", message: expect.stringContaining("has changed") }),
    );
    refusal("abcdef", "zzz").toThrow(
      expect.objectContaining({ code: "invalid_cursor", message: expect.stringContaining("without it") }),
    );
  });
});
