import { describe, expect, it } from "vitest";
import { compareTexts, countLines, parseUnified, UnifiedError } from "#lib/tracking/diffs/index";
import { applyUnified } from "#tests/support/apply-unified";

describe("countLines", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["\n", 1],
    ["a\nb", 2],
    ["a\r\nb\r\n", 2],
    ["a\rb\u2028c", 1],
  ])("%j has %i", (text, count) => expect(countLines(text)).toBe(count));
});

describe("parseUnified", () => {
  it("numbers the lines of both sides and keeps carriage returns", () => {
    const [hunk] = parseUnified(compareTexts("a\r\nb\r\nc", "a\r\nB\r\nx\nc").text);
    expect(hunk).toEqual({
      oldStart: 1,
      oldLines: 3,
      newStart: 1,
      newLines: 4,
      lines: [
        { kind: "context", text: "a\r", oldLine: 1, newLine: 1, isTerminated: true },
        { kind: "removed", text: "b\r", oldLine: 2, newLine: null, isTerminated: true },
        { kind: "added", text: "B\r", oldLine: null, newLine: 2, isTerminated: true },
        { kind: "added", text: "x", oldLine: null, newLine: 3, isTerminated: true },
        { kind: "context", text: "c", oldLine: 3, newLine: 4, isTerminated: false },
      ],
    });
  });

  it("numbers from one if the other side is empty", () => {
    expect(parseUnified(compareTexts("", "a\n").text)[0]?.lines).toMatchObject([{ oldLine: null, newLine: 1 }]);
    expect(parseUnified(compareTexts("a\n", "").text)[0]?.lines).toMatchObject([{ oldLine: 1, newLine: null }]);
  });

  it("accepts a short header, and treats lines that look like headers as content", () => {
    expect(parseUnified("@@ -1 +1 @@ heading\n-@@ -1 +1 @@\n+@@ -9,9 +9,9 @@\n")[0]).toMatchObject({
      oldStart: 1,
      oldLines: 1,
      newStart: 1,
      newLines: 1,
      lines: [{ text: "@@ -1 +1 @@" }, { text: "@@ -9,9 +9,9 @@" }],
    });
  });

  it.each([
    ["no header", "-a\n+b\n"],
    ["an invalid line", "@@ -1,1 +1,1 @@\n*a\n"],
    ["an incomplete hunk", "@@ -1,2 +1,2 @@\n a\n"],
    ["too many lines on one side", "@@ -1,1 +1,2 @@\n-a\n-b\n+c\n+d\n"],
    ["an unknown mark", "@@ -1,1 +1,1 @@\n-a\n\\ Something else\n+b\n"],
  ])("rejects %s", (_what, text) => expect(() => parseUnified(text)).toThrow(UnifiedError));
});

describe("applyUnified", () => {
  const before = "a\nb\nc\n";
  const diff = compareTexts(before, "a\nx\nc\n").text;

  it("rejects a text that does not fit the diff", () => {
    expect(applyUnified(before, diff)).toBe("a\nx\nc\n");
    for (const other of ["a\nB\nc\n", "a\nb\n", "a\nb\nc", "", "b\nc\n"]) {
      expect(() => applyUnified(other, diff)).toThrow(UnifiedError);
    }
  });

  it("rejects hunks that overlap or are beyond the end", () => {
    expect(() => applyUnified(before, `${diff}${diff}`)).toThrow(UnifiedError);
    expect(() => applyUnified(before, "@@ -9,0 +9,1 @@\n+x\n")).toThrow(UnifiedError);
  });
});
