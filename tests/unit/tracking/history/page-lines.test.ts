import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countLines } from "#lib/tracking/diffs/index";
import { pageLines } from "#lib/tracking/history/pages/version-page";

test("the pages of a text have all its lines, each once, and at most 400", () => {
  const line = fc.constantFrom("", "a", "# b\r", "é");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 1_300, size: "max" }), fc.boolean(), (lines, isTerminated) => {
      const text = lines.join("\n") + (isTerminated && lines.length > 0 ? "\n" : "");
      const count = countLines(text);
      const seen: string[] = [];
      for (let page = 1, pageCount = 1; page <= pageCount; page++) {
        const found = pageLines(text, count, page);
        pageCount = found.pageCount;
        expect([found.page, found.lines.length <= 400]).toEqual([page, true]);
        for (const { number, text: shown } of found.lines) {
          seen.push(shown);
          expect(number).toBe(seen.length);
        }
      }
      const expected = text.split("\n").slice(0, count);
      expect(seen).toEqual(expected.map((shown) => shown.replace(/\r$/, "")));
    }),
    { numRuns: 30 },
  );
});

test("a page beyond the last one is the last one, and an empty text has one page", () => {
  expect(pageLines("a\nb\n", 2, 9)).toMatchObject({ page: 1, pageCount: 1, lines: [{ text: "a" }, { text: "b" }] });
  expect(pageLines("", 0, 1)).toEqual({ lines: [], page: 1, pageCount: 1 });
});

test("a long line is cut, and hidden characters are shown", () => {
  const [line] = pageLines(`\u202E${"x".repeat(5_000)}`, 1, 1).lines;
  expect(line).toMatchObject({ omittedLength: 3_001, text: expect.stringMatching(/^\[U\+202E\]x+$/) });
});
