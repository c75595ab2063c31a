import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareTexts,
  countLines,
  maxDiffTextByteSize,
  parseUnified,
  truncateDiffText,
} from "#lib/tracking/diffs/index";
import { applyUnified } from "#tests/support/apply-unified";
import { codePoint } from "#tests/support/code-point";

const byteSizeOf = (text: string) => Buffer.byteLength(text);

/** Returns a truncated diff without its last line. */
function withoutMark(bounded: string): string {
  return bounded.slice(0, bounded.lastIndexOf("\n", bounded.length - 2) + 1);
}

const words = fc.array(fc.string({ unit: codePoint, minLength: 1, maxLength: 40 }), { minLength: 1 });

/** Two versions that differ in the first lines of every 31, so that their diff has hunks. */
function versionsOf(changed: number, words: readonly string[]): [string, string] {
  const lines = Array.from(
    { length: 1_200 },
    (_, index) => `${index} ${words[index % words.length]} ${"é".repeat(40)}`,
  );
  return [lines.join("\n"), lines.map((line, index) => (index % 31 < changed ? `new ${line}` : line)).join("\n")];
}

describe("truncateDiffText", () => {
  it("returns a diff that fits unchanged", () => {
    const line = `+${"x".repeat(62)}\n`;
    const text = `@@ -0,0 +1,1023 @@${" ".repeat(45)}\n${line.repeat(1023)}`;
    expect(byteSizeOf(text)).toBe(maxDiffTextByteSize);
    expect(truncateDiffText(text)).toBe(text);
    expect(truncateDiffText("")).toBe("");
  });

  it("cuts a longer one at a line end and adds a line with the number of omitted lines", () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index} ${"é".repeat(30)}`);
    const diff = compareTexts("", `${lines.join("\n")}\n`).text;
    const bounded = truncateDiffText(diff);
    expect(byteSizeOf(bounded)).toBeLessThanOrEqual(maxDiffTextByteSize);
    expect(byteSizeOf(bounded)).toBeGreaterThan(maxDiffTextByteSize - 200);
    const [, leftOut] = /\n\\ Lines omitted from this diff: (\d+)\n$/.exec(bounded) ?? [];
    const kept = countLines(withoutMark(bounded));
    expect(Number(leftOut)).toBe(2_001 - kept);
    expect(bounded.startsWith(`@@ -0,0 +1,${kept - 1} @@\n`)).toBe(true);
  });

  it("results in a valid diff with adjusted hunk headers", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 31 }), words, (changed, given) => {
        const [before, after] = versionsOf(changed, given);
        const { text, linesAdded, linesRemoved } = compareTexts(before, after);
        const bounded = truncateDiffText(text);
        fc.pre(bounded !== text);
        expect(byteSizeOf(bounded)).toBeLessThanOrEqual(maxDiffTextByteSize);
        const kept = withoutMark(bounded);
        expect(parseUnified(kept).length).toBeGreaterThan(0);
        const half = applyUnified(before, kept);
        expect(half === before).toBe(false);
        const rest = compareTexts(half, after);
        expect(rest.linesAdded + rest.linesRemoved).toBeLessThan(linesAdded + linesRemoved);
      }),
      { numRuns: 40 },
    );
  });

  it("omits a line that is too long by itself, together with its hunk header", () => {
    const bounded = truncateDiffText(compareTexts("a\n", `${"x".repeat(maxDiffTextByteSize)}\n`).text);
    expect(bounded).toBe("@@ -1,1 +0,0 @@\n-a\n\\ Lines omitted from this diff: 1\n");
    const only = truncateDiffText(compareTexts("", `${"x".repeat(maxDiffTextByteSize)}\n`).text);
    expect(only).toBe("\\ Lines omitted from this diff: 2\n");
  });

  it('never separates a line from its "No newline" mark', () => {
    for (let length = maxDiffTextByteSize - 400; length < maxDiffTextByteSize + 10; length++) {
      const bounded = truncateDiffText(compareTexts("x".repeat(length), "y".repeat(200)).text);
      const isWhole = bounded.endsWith("y\n\\ No newline at end of file\n");
      const isCut = /(^|\n\\ No newline at end of file\n)\\ Lines omitted from this diff: \d+\n$/.test(bounded);
      expect([length, isWhole || isCut]).toEqual([length, true]);
    }
  });
});
