import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeMarkup } from "#lib/platform/escape-markup";
import { writeAtom } from "#lib/tracking/feed/changes/feed-formats";
import { describeChange } from "#lib/tracking/feed/changes/read-changes";
import type { Change } from "#lib/tracking/feed/store";
import { codePoint } from "#tests/support/code-point";
import { propertyRuns } from "#tests/support/extended";
import { parseXml } from "./parse-xml";

const hostile = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom("<", ">", "&", '"', "'", "]", "\0", "\u001b", "\uFFFE", "\uD800", "\r", "\n", "a"),
  }),
  fc.constantFrom("</title><script>alert(1)</script>", "]]>", "<!--", "&#0;", "&amp;", "\u202Eevil", "\u{1F600}"),
);
const kept = (text: string) =>
  [...text].filter((character) => /[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(character)).join("");

const at = new Date("2026-11-21T09:30:00.000Z");
const change: Change = {
  id: "019aa4f2-6c40-7001-8000-4d0f5b1e2c37",
  name: "QuarryDB",
  slug: "quarrydb",
  domain: "quarrydb.example",
  category: "database",
  llmsTxtUrl: "https://quarrydb.example/llms.txt",
  isOfSubjects: false,
  createdAt: at,
  linesAdded: 12,
  linesRemoved: 3,
  linksAdded: [],
  linksRemoved: [],
  linkCountAdded: 0,
  linkCountRemoved: 0,
  significance: null,
  reportedAt: null,
  summary: null,
  categories: null,
};
const described = (given: Partial<Change>) => describeChange({ ...change, ...given }, "http://127.0.0.1:3000");

test("escaped text is restored by a parser, in elements and attributes, except forbidden characters", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const escaped = escapeMarkup(text);
      const document = `<?xml version="1.0" encoding="utf-8"?>\n<a b="${escaped}">${escaped}</a>`;
      const { attributes, text: read } = parseXml(document);
      expect([attributes.b, read]).toEqual([kept(text), kept(text)]);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test("a feed is well-formed and preserves its content for any vendor text", () => {
  fc.assert(
    fc.property(hostile, fc.array(hostile, { maxLength: 4 }), (name, links) => {
      const counts = { linksAdded: links, linkCountAdded: links.length, linksRemoved: links, linkCountRemoved: 99 };
      const feed = { title: name, subtitle: name, url: "http://127.0.0.1/feed.xml", homeUrl: "http://127.0.0.1/" };
      const times = { author: name, updatedAt: at, changedAt: at };
      const root = parseXml(
        writeAtom({ ...feed, ...times, changes: [described({ name, ...counts, llmsTxtUrl: name })] }),
      );
      const entry = root.children.find(({ name: element }) => element === "entry");
      const textOf = (element: string) => entry?.children.find((child) => child.name === element)?.text;
      expect(textOf("title")).toBe(kept(`${name}: 12 lines added, 3 removed`));
      expect(entry?.children.find(({ attributes }) => attributes.rel === "via")?.attributes.href).toBe(kept(name));
      // The content is escaped HTML that contains only our own tags.
      const tags = [...(textOf("content") ?? "").matchAll(/<[^>]*>/g)].map(([tag]) => tag);
      const ours = /^<\/?(p|h4|ul|li|a)>$|^<a href="https?:[^"<>]*" rel="nofollow noreferrer">$/i;
      expect(tags.filter((tag) => !ours.test(tag))).toEqual([]);
    }),
    { numRuns: propertyRuns(500) },
  );
});

describe("a change", () => {
  test.each([
    [12, 3, "12 lines added, 3 removed"],
    [1, 1, "1 line added, 1 removed"],
    [0, 1, "1 line removed"],
    [1_200, 0, "1,200 lines added"],
    [0, 0, "changed"],
  ])("with %i added and %i removed lines has a matching title", (linesAdded, linesRemoved, said) => {
    expect(described({ linesAdded, linesRemoved })).toMatchObject({ title: `QuarryDB: ${said}`, summary: `${said}.` });
  });

  test("with a report has its summary and significance in title and text, escaped, and its time", () => {
    const summary = `Adds <b> & ${"x".repeat(300)}.`;
    const reportedAt = new Date(at.getTime() + 1);
    const report = { summary, significance: 4, categories: ["api-change", "sdk-update"], reportedAt };
    const { title, summary: text, html, categories, significance, updatedAt } = described(report);
    expect(title).toBe(`QuarryDB (significance 4 of 5): ${summary.slice(0, 199)}…`);
    expect(text).toBe(`${summary} Significance 4 of 5: api-change, sdk-update. 12 lines added, 3 removed.`);
    expect(html).toContain("<p>Adds &lt;b&gt; &amp; xxx");
    expect(html).toContain("<p>Significance 4 of 5: api-change, sdk-update.</p><p>12 lines added, 3 removed.</p>");
    expect([categories, significance, updatedAt]).toEqual([["database", "api-change", "sdk-update"], 4, reportedAt]);
  });

  test("whose report needs a key has its significance alone", () => {
    const { title, summary, categories } = described({ significance: 2, reportedAt: at });
    expect(title).toBe("QuarryDB (significance 2 of 5): 12 lines added, 3 removed");
    expect([summary, categories]).toEqual(["Significance 2 of 5. 12 lines added, 3 removed.", ["database"]]);
  });

  test("lists its links and counts the omitted ones", () => {
    const links = { linksAdded: ["https://a.example/?a=1&b=2"], linkCountAdded: 3, linkCountRemoved: 1 };
    const { summary, html } = described({ ...links, linksRemoved: ["https://b.example/"] });
    expect(summary).toBe("12 lines added, 3 removed; 3 links added, 1 removed.");
    expect(html).toContain('<a href="https://a.example/?a=1&amp;b=2" rel="nofollow noreferrer">');
    expect(html).toContain("<li>and 2 more</li>");
    expect(html.indexOf("Links added")).toBeLessThan(html.indexOf("Links removed"));
  });

  test("does not link URLs other than http(s)", () => {
    const { html } = described({ linksAdded: ["javascript:alert(1)", "data:text/html,x"], linkCountAdded: 2 });
    expect(html).toContain("<li>javascript:alert(1)</li>");
    expect(html).not.toContain("href");
  });
});
