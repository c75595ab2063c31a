import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignIds } from "#lib/tracking/diffs/compare/align";
import { compareTexts, countLines, findLinks, parseUnified } from "#lib/tracking/diffs/index";
import { applyUnified } from "#tests/support/apply-unified";
import { isExtended, itExtended, propertyRuns } from "#tests/support/extended";
import { pairs, texts } from "./texts";

const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const hashOf = (seed: number) => (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 8) % 1_000_003;

/** Returns the length of a longest common subsequence by the textbook algorithm. */
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
  it("returns a diff that turns the older text into the newer one, byte for byte", () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        expect(applyUnified(before, compareTexts(before, after).text)).toBe(after);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("counts the lines of its diff, which is the smallest possible", () => {
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
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("is empty for equal texts", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(compareTexts(text, `${text}`)).toEqual({
          linesAdded: 0,
          linesRemoved: 0,
          linesMoved: 0,
          moved: [],
          linksAdded: [],
          linksRemoved: [],
          exact: true,
          text: "",
        });
      }),
    );
  });

  it("lists each link that only one side has once", () => {
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
        const [old, now] = [findLinks(before), findLinks(after)];
        expect(linksAdded).toEqual([...now].filter((link) => !old.has(link)));
        expect(linksRemoved).toEqual([...old].filter((link) => !now.has(link)));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("has full context where an addition ends like the lines before it", () => {
    const tail = "c\nc\nc\nd\ne\nf\n";
    const { text } = compareTexts(`a\nx\n${tail}`, `a\nx\ny\nc\n${tail}`);
    expect(text).toBe("@@ -1,5 +1,7 @@\n a\n x\n+y\n+c\n c\n c\n c\n");
  });

  it("has the format of GNU diff", () => {
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
});

const drawn = (seed: number, length: number, symbolCount: number) =>
  Int32Array.from({ length }, (_, index) => hashOf(index + seed * 1_000_003) % symbolCount);

/** Returns the length of the common subsequence of an alignment, which must be the same on both sides. */
function keptLength(before: Int32Array, after: Int32Array, { removed, added }: ReturnType<typeof alignIds>): number {
  const kept = before.filter((_, index) => removed[index] === 0);
  expect(kept).toEqual(after.filter((_, index) => added[index] === 0));
  return kept.length;
}

describe("a comparison that is too much work", () => {
  const linesOfIds = (ids: Int32Array) => ids.reduce((text, id) => `${text}line ${id}\n`, "");
  const [before, after] = [1, 2].map((seed) => linesOfIds(drawn(seed, isExtended ? 50_000 : 20_000, 2))) as [
    string,
    string,
  ];

  it("is not exact, but correct and deterministic", () => {
    const comparison = compareTexts(before, after);
    expect(comparison.exact).toBe(false);
    expect(applyUnified(before, comparison.text) === after).toBe(true);
    expect(comparison.linesAdded).toBe(comparison.linesRemoved);
    expect(compareTexts(before, after).text === comparison.text).toBe(true);
  });
});

describe("an alignment", () => {
  const none = { firstSteps: 0, pairs: 0, steps: 0, roughSteps: 0, anchorPairs: 0 };
  const efforts = [none, { ...none, pairs: 1e6 }, { ...none, steps: 500 }, { ...none, anchorPairs: 300, steps: 5_000 }];

  it("is correct for any effort, and shortest if it says so", () => {
    const sequences = fc.integer({ min: 1, max: 12 }).chain((symbolCount) => {
      const sequence = fc.array(fc.nat(symbolCount), { maxLength: 80 });
      return fc.tuple(sequence, sequence).map((sides) => sides.map((ids) => Int32Array.from(ids)));
    });
    fc.assert(
      fc.property(sequences, fc.constantFrom(...efforts), ([before, after], effort) => {
        const alignment = alignIds(before!, after!, effort);
        const length = keptLength(before!, after!, alignment);
        const best = commonLength(Array.from(before!, String), Array.from(after!, String));
        if (alignment.exact) expect(length).toBe(best);
        else expect(length).toBeLessThanOrEqual(best);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  itExtended(
    "is exact for lines with few distinct values, and keeps most common lines if it is cut or aligned greedily",
    () => {
      const [before, after] = [drawn(1, 20_000, 100), drawn(2, 20_000, 100)];
      const alignment = alignIds(before, after);
      const best = keptLength(before, after, alignment);
      expect([alignment.exact, best > 0.17 * before.length]).toEqual([true, true]);
      for (const [steps, share] of [
        [40_000_000, 0.8],
        [0, 0.5],
      ] as const) {
        const limited = alignIds(before, after, { ...none, steps, roughSteps: steps });
        expect(limited.exact).toBe(false);
        expect(keptLength(before, after, limited)).toBeGreaterThan(share * best);
      }
    },
  );

  it("that need not be the best finds a moved half and is not misled by rare elements", () => {
    const effort = { ...none, steps: 1_000_000, roughSteps: 1_000_000, anchorPairs: 100_000 };
    const half = 20_000;
    const common = drawn(3, half, 20);
    const unique = Int32Array.from({ length: half }, (_, index) => 20 + index);
    const swapped = alignIds(
      Int32Array.from([...unique, ...unique.map((id) => id + half)]),
      Int32Array.from([...unique.map((id) => id + half), ...unique]),
      effort,
    );
    expect(swapped.removed.filter((mark) => mark === 0)).toHaveLength(half);

    const mixWith = (order: (index: number) => number) =>
      common.map((id, index) => (index % 10 === 0 ? 20 + order(index / 10) : id));
    const shuffled = Int32Array.from({ length: half / 10 }, (_, index) => index).sort((a, b) => hashOf(a) - hashOf(b));
    const [before, after] = [mixWith((index) => index), mixWith((index) => shuffled[index]!)];
    expect(keptLength(before, after, alignIds(before, after, effort))).toBeGreaterThan(0.85 * half);
  });
});

describe("adversarial texts", () => {
  const lineByteSize = (isExtended ? 10 : 2) * 1024 * 1024;
  const numbered = Array.from({ length: isExtended ? 200_000 : 20_000 }, (_, line) => `entry ${line}`);
  const million = "\n".repeat(1_000_000);
  const cases: [string, string, string][] = [
    ["one long line", "a".repeat(lineByteSize), `${"a".repeat(lineByteSize - 1)}b`],
    ["a reversed file", numbered.join("\n"), numbered.toReversed().join("\n")],
    ["a million empty lines and none", million, "x"],
    ["a million empty lines and fewer of them", million, `x${"\n".repeat(800_000)}`],
    ["identical lines with a different one between", "same\n".repeat(1_000_000), `${"same\n".repeat(500_000)}x\n`],
  ];
  it.each(isExtended ? cases : cases.slice(0, 2))("%s: the diff is correct", (_name, before, after) => {
    const { text, linesAdded, linesRemoved } = compareTexts(before, after);
    expect(applyUnified(before, text) === after).toBe(true);
    expect(countLines(before) - linesRemoved + linesAdded).toBe(countLines(after));
  });
});

describe("texts with too many lines for a search", () => {
  const lines = (seed: number, end: string) => {
    const middle = Array.from({ length: 1_100_000 }, (_, line) => String.fromCharCode(97 + ((line * seed) % 26)));
    return `# Same\n${middle.join("\n")}\nhttps://example.com/${seed}${end}`;
  };

  /** All with `--extended`, else the one whose last lines differ most. */
  const ends: [string, string][] = [
    ["\n", ""],
    ["", "\nhttps://example.com/5"],
    ["\n", "\n"],
    ["", ""],
  ];
  it.each(isExtended ? ends : ends.slice(0, 1))(
    "ending in %j and %j are replaced as a whole, correctly and marked as not exact",
    (oldEnd, newEnd) => {
      const [before, after] = [lines(3, oldEnd), lines(5, newEnd)];
      const { text, exact, linesRemoved, linesAdded, linksAdded, linksRemoved } = compareTexts(before, after);
      expect(applyUnified(before, text) === after).toBe(true);
      expect(exact).toBe(false);
      expect(linesRemoved).toBeLessThanOrEqual(countLines(before));
      expect(linesAdded - linesRemoved).toBe(countLines(after) - countLines(before));
      expect([linksAdded, linksRemoved]).toEqual([["https://example.com/5"], ["https://example.com/3"]]);
    },
  );
});
