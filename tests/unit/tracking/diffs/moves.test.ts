import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareTexts } from "#lib/tracking/diffs/index";
import { propertyRuns } from "#tests/support/extended";
import { pairs } from "./texts";

const link = (name: string) => `- [${name}](https://docs.example.com/${name}.md): all about ${name}\n`;
const sectionOf = (name: string, ...links: string[]) => `\n## ${name}\n\n${links.map(link).join("")}`;
const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

describe("moved blocks", () => {
  const guides = sectionOf("Guides", "install", "configure", "deploy");
  const api = sectionOf("Reference", "errors", "limits", "webhooks", "pagination");

  it("are found if a section moved, and also count as removed and added", () => {
    const comparison = compareTexts(`# Docs\n${guides}${api}`, `# Docs\n${api}${guides}`);
    expect([comparison.linesAdded, comparison.linesRemoved]).toEqual([6, 6]);
    // The empty line between the sections did not move.
    expect(comparison.moved).toEqual([{ fromLine: 3, toLine: 10, lineCount: 5 }]);
    expect(comparison.linesMoved).toBe(5);
  });

  it("may be a single long line, but not a short one", () => {
    const others = ["a", "b", "c"].map(link).join("");
    expect(compareTexts(link("moved") + others, others + link("moved")).moved).toEqual([
      { fromLine: 1, toLine: 4, lineCount: 1 },
    ]);
    expect(compareTexts(`short\n${others}`, `${others}short\n`).linesMoved).toBe(0);
  });

  it("exclude lines that occur in several places", () => {
    const others = ["a", "b", "c", "d"].map(link);
    const before = link("twice") + others.slice(0, 2).join("") + link("twice") + others.slice(2).join("");
    const after = others.join("") + link("twice") + link("twice");
    expect(compareTexts(before, after).linesMoved).toBe(0);
  });

  it("are equal on both sides, marked on both, and do not overlap", () => {
    const blocks = fc
      .tuple(
        fc.shuffledSubarray(["install", "configure", "deploy", "errors", "limits", "a", "b"].map(link)),
        fc.boolean(),
      )
      .map(([lines, isSpaced]) => lines.join(isSpaced ? "\n" : ""));
    fc.assert(
      fc.property(fc.oneof(fc.tuple(blocks, blocks), pairs), ([before, after]) => {
        const { moved, linesMoved, linesAdded, linesRemoved } = compareTexts(before, after);
        const [old, now] = [linesOf(before), linesOf(after)];
        const from = moved.flatMap(({ fromLine, lineCount }) =>
          Array.from({ length: lineCount }, (_, n) => fromLine + n),
        );
        const to = moved.flatMap(({ toLine, lineCount }) => Array.from({ length: lineCount }, (_, n) => toLine + n));
        expect(from.map((line) => old[line - 1])).toEqual(to.map((line) => now[line - 1]));
        expect(new Set(from).size).toBe(linesMoved);
        expect(new Set(to).size).toBe(linesMoved);
        expect(linesMoved).toBeLessThanOrEqual(Math.min(linesAdded, linesRemoved));
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
