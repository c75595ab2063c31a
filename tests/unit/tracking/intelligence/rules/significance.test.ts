import { describe, expect, it } from "vitest";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { changeOf, links } from "./change-of";

const file = (body: string) => `# Acme\n\n## Docs\n\n${body}`;
const judge = (before: string, after: string, score = 0) => analyseByRules(changeOf(before, after, score)).significance;

describe("the significance by rules", () => {
  it.each([
    [1, 100, 101],
    [2, 100, 102],
    [2, 100, 110],
    [3, 100, 111],
  ])("is %i if %i links become %i", (significance, from, to) => {
    expect(judge(file(links(1, from)), file(links(1, to)))).toBe(significance);
  });

  it.each([
    [1, 99],
    [2, 98],
    [2, 91],
    [4, 90],
    [4, 50],
    [5, 49],
  ])("is %i if %i of a hundred links remain", (significance, left) => {
    expect(judge(file(links(1, 100)), file(links(1, left)))).toBe(significance);
  });

  it("is at most 2 if four in five of the removed links return under the same title", () => {
    expect(judge(file(links(1, 100)), file(links(1, 80, "new/")))).toBe(2);
    expect(judge(file(links(1, 100)), file(links(1, 79, "new/")))).toBe(4);
    expect(judge(file(links(1, 100)), file(links(1, 100, "new/")))).toBe(2);
  });

  it("is 3 for a new section of an index, 4 for a removed one, 2 for one merged into others", () => {
    const docs = file(links(1, 30));
    const more = `${docs}\n## Extras\n\n- Something that is nowhere else.\n`;
    expect(judge(docs, more)).toBe(3);
    expect(judge(more, docs)).toBe(4);
    expect(judge(more, file(`${links(1, 30)}- Something that is nowhere else.\n`))).toBe(2);
  });

  it("is 1 for a new order and for new titles", () => {
    expect(judge(file(`${links(1, 5)}${links(6, 9)}`), file(`${links(6, 9)}${links(1, 5)}`))).toBe(1);
    expect(judge(file(links(1, 9)), file(links(1, 9).replaceAll("Page", "Chapter")))).toBe(1);
  });

  it.each<[number, string]>([
    // Announcements.
    [4, "The endpoint `/v1/charges` is deprecated."],
    [4, "Please note that v1 is deprecated."],
    [4, "Version 1, which is now deprecated, answers slower."],
    [4, "Fields that are deprecated are discontinued."],
    [4, "All requests must now carry an API key."],
    [4, "Prices will increase in March."],
    [4, "A seat costs $12 a month."],
    [4, "CVE-2027-12345 affects all versions."],
    // An API that breaks, and an end with its date.
    [5, "**Breaking**: API v1 is removed on 1 March 2027."],
    [5, "Version 4 has breaking changes."],
    [5, "Endpoints that are deprecated will be removed on 2027-01-31."],
    [5, "Support for v1 ends on 2027-01-31."],
    [5, "**GPUs are deprecated and will be unavailable after August 1.**"],
    [5, "Files are deprecated. They keep working for existing apps until 2026-12-01."],
    // Words that announce nothing.
    [1, "The endpoint is not deprecated."],
    [1, "Breaking change policies say what to expect when you upgrade."],
    [1, "To see which fields are deprecated, open the log."],
    [1, "Remove a product from your catalogue if it's discontinued or no longer relevant."],
    [1, "Fields that are deprecated are marked in the log."],
    [1, "The log tells whether an endpoint is deprecated."],
    [1, "Check if a model is deprecated before you use it."],
    [1, "A release without breaking changes."],
    [1, "- [Deprecation policy](https://acme.example/policy): how we announce what is deprecated"],
    [1, "- [Plans and pricing](https://acme.example/pricing): what a seat costs"],
    [1, "- [Authentication](https://acme.example/auth): API keys and OAuth"],
    [1, "- [Options](https://acme.example/deprecated-options): all of them"],
    [1, "Use `--deprecated` to list them."],
    [1, "Old files are removed after 30 days."],
    [1, "An email address is required."],
  ])("is %i for the words: %s", (significance, words) => {
    expect(judge(file(links(1, 50)), file(`${words}\n\n${links(1, 50)}`))).toBe(significance);
  });

  it.each([
    ["in a list", "- Lite: $0.10", "- Lite: $0.25"],
    ["in another language", "Der Tarif Start kostet 20 € pro Monat.", "Der Tarif Start kostet 35 € pro Monat."],
    ["that was none", "The Hobby plan is free.\n\nPro costs $9.", "Pro costs $9."],
    ["within a paragraph", "The Hobby plan is free. Pro costs $9.", "Pro costs $9."],
    ["after none", "- Hobby: free", "- Hobby: $5 a month"],
    [
      "per unit in a table",
      "| Plan | Cost |\n|---|---|\n| Go | ¥1,000 |",
      "| Plan | Cost |\n|---|---|\n| Go | ¥1,500 |",
    ],
  ])("is 4 for a price %s", (_where, before, after) => {
    const page = (body: string) => `# Acme\n\n## Offerings\n\n${body}\n`;
    const change = analyseByRules(changeOf(page(before), page(after)));
    expect(change).toMatchObject({ significance: 4, categories: ["pricing-change"] });
  });

  it.each([
    ["`DECLINED`", "`REJECTED`"],
    ["- `max_tokens` (number): how many", "- `max_output_tokens` (number): how many"],
    ['```json\n{\n  "status": "DECLINED"\n}\n```', '```json\n{\n  "status": "REJECTED"\n}\n```'],
    ["- `amount` (number, optional): how much", "- `amount` (number, required): how much"],
    [
      "| Field | Required |\n|---|---|\n| `amount` | **Optional** |",
      "| Field | Required |\n|---|---|\n| `amount` | **Required** |",
    ],
    ["| Field | Required |\n|---|---|\n| `amount` | No |", "| Field | Required |\n|---|---|\n| `amount` | Yes |"],
  ])("is 4 for another value of an enumeration, and for what is now required: %s", (before, after) => {
    const page = (body: string) => `# Acme\n\n## Payments\n\nA payment has a status.\n\n${body}\n`;
    expect(analyseByRules(changeOf(page(before), page(after)))).toMatchObject({
      significance: 4,
      categories: ["api-change"],
    });
    if (before.includes("ptional")) expect(judge(page(after), page(before))).toBe(2);
  });

  it("is 1 if only the mark of a callout changes", () => {
    const page = (mark: string) => file(`> [!${mark}]\n> Sessions last a day.\n`);
    expect(analyseByRules(changeOf(page("IMPORTANT"), page("DEPRECATED")))).toMatchObject({
      significance: 1,
      categories: ["formatting-only"],
    });
  });

  it("is at most 3 for a lost section of a page", () => {
    const section = (name: string, count: number) =>
      `## ${name}\n\n${Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ")}\n\n`;
    const page = `# Acme\n\n${section("Use", 50)}`;
    expect(judge(`${page}${section("Old", 40)}`, page)).toBe(2);
    expect(judge(`${page}${section("Old", 400)}`, page)).toBe(3);
    expect(judge(`${page}${section("Old", 90)}${section("Older", 90)}`, page)).toBe(3);
  });

  it.each(["Batch delivery is now generally available.", "Webhooks are now available in the EU."])(
    "is 3 for something that becomes available: %s",
    (words) => {
      const old = file(links(1, 50));
      const result = analyseByRules(changeOf(old, file(`${words}\n\n${links(1, 50)}`)));
      expect(result).toMatchObject({ significance: 3, categories: ["new-feature"] });
    },
  );

  it("is 1 if something is not, or was already, available", () => {
    const add = (words: string) => file(`${words}\n\n${links(1, 50)}`);
    expect(judge(file(links(1, 50)), add("Batch delivery is not generally available."))).toBe(1);
    expect(judge(add("Batch is now available in 3 regions."), add("Batch is now available in 4 regions."))).toBe(1);
  });

  it("is not raised by words that existed before", () => {
    const old = file(`- [Charges](https://acme.example/charges): deprecated, use Payments\n${links(1, 50)}`);
    expect(judge(old, old.replace("use Payments", "use the Payments page"))).toBe(1);
    expect(judge(old, old.replace("deprecated,", "deprecated on 2027-05-01,"))).toBe(4);
  });

  it("ignores announcements and headings in fenced code", () => {
    const code = (line: string) => file(`\`\`\`sh\n${line}\n\`\`\`\n${links(1, 50)}`);
    expect(judge(code("run"), code("# deprecated: breaking change\nrun"))).toBe(1);
  });

  it("is 5 for a blocked text", () => {
    const before = file(links(1, 50));
    expect(judge(before, `${before}\n`, 2)).toBe(1);
    expect(judge(before, `${before}\n`, 3)).toBe(5);
  });
});
