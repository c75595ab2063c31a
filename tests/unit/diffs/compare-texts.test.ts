import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyUnified, compareTexts, countLines, linksOf, parseUnified } from "#lib/diffs/index";
import { pairs, texts } from "./texts";

const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const hashOf = (seed: number) => (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 8) % 1_000_003;

/** Length of a longest common subsequence, by the textbook's table. */
function commonLength(before: string[], after: string[]): number {
  let row = new Array<number>(after.length + 1).fill(0);
  for (const line of before) {
    const next = [0];
    for (const [index, other] of after.entries()) {
      next.push(line === other ? row[index]! + 1 : Math.max(row[index + 1]!, next[index]!));
    }
    row = next;
  }
  return row.at(-1)!;
}

describe("a comparison", () => {
  it("gives a diff that makes the newer text of the older one, byte by byte", () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        expect(applyUnified(before, compareTexts(before, after).text)).toBe(after);
      }),
      { numRuns: 1_000 },
    );
  });

  it("counts the lines of its own diff, and no smaller number would do", () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const { linesAdded, linesRemoved, exact, text } = compareTexts(before, after);
        const lines = parseUnified(text).flatMap((hunk) => hunk.lines);
        expect(lines.filter(({ kind }) => kind === "added")).toHaveLength(linesAdded);
        expect(lines.filter(({ kind }) => kind === "removed")).toHaveLength(linesRemoved);
        expect(countLines(before) - linesRemoved + linesAdded).toBe(countLines(after));
        expect(exact).toBe(true);
        expect(countLines(before) - linesRemoved).toBe(commonLength(linesOf(before), linesOf(after)));
      }),
      { numRuns: 1_000 },
    );
  });

  it("of equal texts is empty", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(compareTexts(text, `${text}`)).toEqual({
          ...{ linesAdded: 0, linesRemoved: 0, linesMoved: 0, moved: [] },
          ...{ linksAdded: [], linksRemoved: [], exact: true, text: "" },
        });
      }),
    );
  });

  it("has the links that only one side has, each once", () => {
    const urls = fc.constantFrom(
      "https://a.example/",
      "http://b.example/x",
      "[c](https://c.example)",
      "<https://d.example>",
    );
    const linked = fc
      .array(fc.oneof(urls, fc.constantFrom("\n", " ", "text")), { maxLength: 20 })
      .map((all) => all.join(" "));
    fc.assert(
      fc.property(fc.oneof(fc.tuple(linked, linked), pairs), ([before, after]) => {
        const { linksAdded, linksRemoved } = compareTexts(before, after);
        const [old, now] = [linksOf(before), linksOf(after)];
        expect(linksAdded).toEqual([...now].filter((link) => !old.has(link)));
        expect(linksRemoved).toEqual([...old].filter((link) => !now.has(link)));
      }),
      { numRuns: 500 },
    );
  });

  it("is written as GNU diff writes it", () => {
    const before = `${["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"].join("\n")}\n`;
    const after = before.replace("b\n", "B\n").replace("\nm\n", "\nm");
    expect(compareTexts(before, after).text).toBe(
      [
        "@@ -1,5 +1,5 @@",
        ...[" a", "-b", "+B", " c", " d", " e"],
        "@@ -10,4 +10,4 @@",
        ...[" j", " k", " l", "-m", "+m", "\\ No newline at end of file"],
        "",
      ].join("\n"),
    );
    expect(compareTexts("", "x\n").text).toBe("@@ -0,0 +1,1 @@\n+x\n");
    expect(compareTexts("x", "").text).toBe("@@ -1,1 +0,0 @@\n-x\n\\ No newline at end of file\n");
  });

  it("joins changes that share their context, and parts those that do not", () => {
    const numbered = (count: number) => Array.from({ length: count }, (_, line) => `${line}\n`);
    const change = (gap: number) => {
      const lines = numbered(40);
      lines[10] = "x\n";
      lines[11 + gap] = "y\n";
      return parseUnified(compareTexts(numbered(40).join(""), lines.join("")).text).length;
    };
    expect([change(0), change(6), change(7)]).toEqual([1, 1, 2]);
  });
});

describe("a comparison that runs out of time", () => {
  const shuffled = (seed: number) =>
    Array.from({ length: 20_000 }, (_, line) => `line ${hashOf(line + seed * 100_000) % 100}\n`).join("");
  const [before, after] = [shuffled(1), shuffled(2)];

  it("says that it is not exact, and is right all the same", () => {
    for (const timeoutMs of [0, 30]) {
      const comparison = compareTexts(before, after, { timeoutMs });
      expect(comparison.exact).toBe(false);
      expect(applyUnified(before, comparison.text)).toBe(after);
      expect(20_000 - comparison.linesRemoved + comparison.linesAdded).toBe(20_000);
    }
  });
});

describe("texts made to be slow", () => {
  const mebibyte = 1024 * 1024;
  const numbered = Array.from({ length: 200_000 }, (_, line) => `entry ${line}`);
  it.each<[string, string, string]>([
    ["one line of 10 MiB", "a".repeat(10 * mebibyte), `${"a".repeat(10 * mebibyte - 1)}b`],
    ["five million empty lines and none", "\n".repeat(5_000_000), "x"],
    ["five million empty lines and fewer of them", "\n".repeat(5_000_000), `x${"\n".repeat(4_000_000)}`],
    ["a file the other way round", numbered.join("\n"), numbered.toReversed().join("\n")],
    ["lines that are all the same, with one between", "same\n".repeat(1_000_000), `${"same\n".repeat(500_000)}x\n`],
  ])("%s: the diff is right", (_name, before, after) => {
    const { text, linesAdded, linesRemoved } = compareTexts(before, after);
    expect(applyUnified(before, text) === after).toBe(true);
    expect(countLines(before) - linesRemoved + linesAdded).toBe(countLines(after));
  });
});
