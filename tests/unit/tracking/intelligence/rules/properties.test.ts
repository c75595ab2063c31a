import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { intelligenceCategorySchema } from "#lib/tracking/report-categories/index";
import { codePoint } from "#tests/support/code-point";
import { propertyRuns } from "#tests/support/extended";
import { changeOf } from "./change-of";

const word = fc.constantFrom(
  ...[
    "deprecated",
    "price",
    "$5",
    "€1.20",
    "now",
    "not",
    "breaking change",
    "API key",
    "must",
    "2027-01-01",
    "é",
    "😀",
  ],
  ...[
    "`code`",
    "**bold**",
    "model",
    "new:",
    "fixed",
    "CVE-2027-1234",
    "\u200b",
    "\r",
    "(",
    "]",
    "|",
    "<b>",
    "\ud800",
    "`",
  ],
);
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
const line = fc.oneof(
  text,
  fc.tuple(fc.integer({ min: 1, max: 7 }), text).map(([level, name]) => `${"#".repeat(level)} ${name}`),
  fc
    .tuple(text, fc.integer({ max: 9, min: 0 }), text)
    .map(([title, page, about]) => `- [${title}](https://a.example/${page}): ${about}`),
  fc.tuple(text, fc.integer({ max: 9, min: 0 })).map(([title, page]) => `* [${title}](/docs/${page}.md)`),
  fc.constantFrom("```js", "client.jobs.create(job)", '  "max_age": 1,', "| `max_age` | 1 |", "`pine-large-2` model"),
  fc.constantFrom("```", "~~~", "===", "> quote", "| a | $1 |", "|---|---|", "", "\t", "[]()", "](", "![](x)"),
  fc.constantFrom(
    "| Plan | Free |",
    "| Seats | 5 |",
    "| Seats | 7 | 1 MB |",
    "- Starter: 5 webhooks",
    "SDK v2: `acme@3`",
  ),
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.constant("long ".repeat(100)),
);
const file = fc.array(line, { maxLength: 25 }).map((lines) => lines.join("\n"));
/** Versions with common content. */
const versions = fc
  .tuple(file, file, file, file)
  .map(([a, b, c, d]) => [`${a}\n${b}\n${c}`, `${a}\n${d}\n${c}`] as const);
const runs = { numRuns: propertyRuns(400) };

describe("the rules, for any texts", () => {
  it("return an analysis within the documented limits", () => {
    fc.assert(
      fc.property(versions, fc.integer({ min: 0, max: 5 }), ([before, after], score) => {
        const result = analyseByRules(changeOf(before, after, score));
        expect([1, 2, 3, 4, 5]).toContain(result.significance);
        expect(result.summary.length).toBeGreaterThan(10);
        expect(result.summary.length).toBeLessThanOrEqual(500);
        expect(result.summary).not.toMatch(/[\n\r\p{Cc}]/u);
        expect(result.categories.length).toBeGreaterThanOrEqual(1);
        expect(result.categories.length).toBeLessThanOrEqual(4);
        for (const category of result.categories) expect(intelligenceCategorySchema.parse(category)).toBe(category);
        expect(new Set(result.categories).size).toBe(result.categories.length);
        for (const list of [result.sectionsAdded, result.sectionsRemoved, result.sectionsModified]) {
          expect(list.length).toBeLessThanOrEqual(50);
          expect(list).not.toContain("");
        }
        expect(Number.isFinite(result.byteSizeChangePct)).toBe(true);
      }),
      { ...runs, examples: [[["\n\n", "\n```js\ndeprecated \r deprecated\n```\n"], 0]] },
    );
  });

  it("quote verbatim and briefly, and nothing of a blocked text", () => {
    fc.assert(
      fc.property(versions, fc.integer({ min: 0, max: 5 }), ([before, after], score) => {
        const { keyQuotes } = analyseByRules(changeOf(before, after, score));
        if (score >= 3) expect(keyQuotes).toEqual([]);
        expect(keyQuotes.length).toBeLessThanOrEqual(5);
        for (const quote of keyQuotes) {
          expect(after.includes(quote) || before.includes(quote)).toBe(true);
          expect(quote.length).toBeLessThanOrEqual(280);
          expect(quote).not.toMatch(/[^\P{Cc}\t]/u);
        }
      }),
      runs,
    );
  });

  it("describe any first version", () => {
    fc.assert(
      fc.property(file, (after) => {
        const { significance, summary, keyQuotes } = analyseByRules(changeOf(null, after));
        expect(significance).toBe(1);
        expect(summary.length).toBeLessThanOrEqual(500);
        for (const quote of keyQuotes) expect(after).toContain(quote);
      }),
      { numRuns: 100 },
    );
  });

  it("report only formatting if only marks, spaces and the order within a list changed", () => {
    const items = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}( [a-z]{3,9}){1,4}$/), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(items, fc.constantFrom("*", "+", "-"), (names, mark) => {
        const before = `# A\n\n## B\n\n${names.map((name) => `- ${name}`).join("\n")}\n`;
        const after = `# A\n\n## B\n\n${[...names]
          .reverse()
          .map((name) => `${mark}  **${name}**`)
          .join("\n")}`;
        expect(analyseByRules(changeOf(before, after))).toMatchObject({
          significance: 1,
          categories: ["formatting-only"],
        });
      }),
      { numRuns: 100 },
    );
  });
});
