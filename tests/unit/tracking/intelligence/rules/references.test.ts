import { describe, expect, it } from "vitest";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { changeOf } from "./change-of";

const page = (body: string, section = "Queues") => `# Acme\n\n## ${section}\n\n${body}\n`;
const analyse = (before: string, after: string) => analyseByRules(changeOf(before, after));
const changed = (before: string, after: string, section?: string) =>
  analyse(page(before, section), page(after, section));
const table = (header: string, ...rows: string[]) => [header, header.replace(/[^|]+/g, "---"), ...rows].join("\n");

describe("tables of a reference", () => {
  const header = "| Field | Type | Description |";
  const [id, note] = ["| id | string | the id |", "| note? | string | a note on the queue |"];

  it("have entries under any name", () => {
    expect(changed(table(header, id), table(header, id, note))).toMatchObject({
      summary: "The entry note is new (Queues): “a note on the queue”.",
      significance: 2,
      categories: ["api-change"],
    });
    expect(changed(table(header, id, note), table(header, id))).toMatchObject({
      summary: "The entry note is gone (Queues).",
      significance: 3,
      categories: ["api-change"],
    });
  });

  it.each(["| Code | Meaning |", "| Error code | Text |", "| Type | Value |", "| Name | Default |"])(
    "are known by their header: %s",
    (codes) => {
      const rows = ["| 101 | No queue |", "| 102 | No message |"];
      expect(changed(table(codes, rows[0]!), table(codes, ...rows)).categories).toEqual(["api-change"]);
    },
  );

  it("are not tables of products", () => {
    const products = "| Name | Price |";
    const rows = ["| Fir | cheap |", "| Oak | dear and hard to get |"];
    expect(changed(table(products, rows[0]!), table(products, ...rows)).categories).toEqual(["content-expansion"]);
  });
});

describe("new statements", () => {
  it.each([
    ["Queues can be renamed.", "Queues can be renamed. Names have at most 40 letters."],
    ["Queues have names.", "Queues have names (limited to 40 letters)."],
    ["Length limits apply to names.", "Length limits (40 letters) apply to names."],
  ])("of a limit are changes of the API of significance 2: %s", (before, after) => {
    expect(changed(before, after)).toMatchObject({ significance: 2, categories: ["api-change"] });
  });

  it("of a limit are new content in a longer text", () => {
    const lines = Array.from({ length: 12 }, (_, index) => `Step ${index}: open the page ${index} of the queue.`);
    const after = `${lines.join("\n\n")}\n\nNames have at most 40 letters.`;
    expect(changed("Queues.", `Queues.\n\n${after}`).categories).toEqual(["content-expansion"]);
  });

  it("of limits that will change are breaking", () => {
    const after = "Queues.\n\nRate limits are changing on 1 March 2027.";
    expect(changed("Queues.", after)).toMatchObject({ significance: 4, categories: ["api-change"] });
    expect(changed("Queues.", "Queues.\n\nRate limits are changing all the time.").significance).toBe(1);
  });

  it.each([
    "Queues are only available for partners.",
    "Available on the Enterprise plan and for select Pro customers.",
  ])("leave out who may use something: %s", (before) => {
    const analysis = changed(`${before}\n\nQueues hold messages.`, "Queues hold messages.");
    expect(analysis).toMatchObject({ significance: 3, categories: ["api-change"] });
    expect(analysis.summary).toBe(`No longer states under Queues: “${before.slice(0, -1)}”.`);
    const still = changed(before, `${before} Ask us.`);
    expect(still.significance).toBe(1);
  });

  it.each(["We are currently working on queues by URL.", "It's currently not possible to register a queue."])(
    "no longer say that something is missing: %s",
    (before) => {
      const analysis = changed(`${before}\n\nQueues hold messages.`, "Queues hold messages.");
      expect(analysis).toMatchObject({ significance: 3, categories: ["new-feature"] });
    },
  );
});

describe("endpoints", () => {
  it.each(["### GET /queues/{id}/sizes", '### Sizes\n\n<Route method="GET">/queues/[\\{id\\}](#queue)/sizes</Route>'])(
    "are new with the section on them: %s",
    (section) => {
      const after = `Queues hold messages.\n\n${section}\n\nReturns the size of a queue in messages.`;
      const { summary, categories } = changed("Queues hold messages.", after);
      expect(summary).toContain("The endpoint GET /queues/{id}/sizes is new");
      expect(categories).toEqual(["content-expansion", "api-change"]);
      expect(changed("Call `/queues/{id}/sizes`.", after).summary).not.toContain("endpoint");
    },
  );
});

describe("spelling", () => {
  it("is corrected in headings, titles and links, which are not renamed", () => {
    const text = "Queues hold messages, in order.";
    const analysis = analyse(page(text, "Custmer queues"), page(text, "Customer queues"));
    expect(analysis).toMatchObject({ categories: ["formatting-only"], significance: 1 });
    expect(analysis.summary).toBe("Corrects the spelling of Customer queues.");
    expect(changed("- [Qeues](https://acme.example/q)", "- [Queue](https://acme.example/q)").categories).toEqual([
      "formatting-only",
    ]);
    const titled = (title: string) => `---\ntitle: ${title}\n---\n\nQueues hold messages.\n`;
    expect(analyse(titled("Message queues"), titled("Message Queues")).summary).not.toContain("titled");
  });

  it("has links within sentences as wording, and other places that links lead to as a restructure", () => {
    const before = "Messages have an [options array](#options) in each queue.";
    expect(changed(before, before.replace("array", "object"))).toMatchObject({
      summary: "The wording “array” becomes “object” in Queues.",
    });
    expect(changed(before, before.replace("#options", "#message-options"))).toMatchObject({
      summary: "Changes where links lead in 1 line.",
      categories: ["docs-restructure"],
    });
  });
});

describe("what is no content", () => {
  const style = (margin: number) => `<style>\n.box {\n  margin: ${margin}px;\n}\n</style>\n\nQueues hold messages.`;

  it("is a style sheet, and an image of a tag", () => {
    expect(changed(style(4), style(8))).toMatchObject({ significance: 1, categories: ["formatting-only"] });
    const image = '<img src="https://acme.example/a.svg" alt="Queue"/> Queues hold messages.';
    expect(changed("Queues hold messages.", image).summary).not.toContain("link");
  });

  it("is a style sheet only up to its end", () => {
    const open = "<style> is a tag.\n\nQueues hold messages.";
    expect(changed(open, open.replace("hold", "keep")).summary).toContain("“hold” becomes “keep”");
  });
});

describe("new sections", () => {
  const long = "This lets you send messages to a queue. ".repeat(15);
  const before = page("Queues hold messages.");

  it.each([
    ["Batches", ["content-expansion", "new-feature"]],
    ["Sending batches", ["content-expansion"]],
    ["Why send batches", ["content-expansion"]],
    ["2. Sending batches", ["content-expansion"]],
  ])("are a feature unless they are about a task: %s", (name, categories) => {
    expect(analyse(before, `${before}\n## ${name}\n\n${long}\n`).categories).toEqual(categories);
  });

  it("are described with their first sentence", () => {
    const text =
      "- [Batches](/batches)\n\n:::note Beta\n\nBatches hold [messages](/messages) in order. They have a size.";
    const { summary } = analyse(before, `${before}\n## Batches\n\n${text}\n`);
    expect(summary).toContain("Adds the section Batches with 2 links: “Batches hold messages in order”.");
    const note = ":::danger Batches no longer work since 1 May 2026.";
    expect(changed("Queues.", `Queues.\n\n${note}`).summary).toContain("“Batches no longer work since 1 May 2026”");
  });

  it.each([
    ["Vision", '```python\nask(model="acme-large-3")\n```', false],
    ["Vision", "Ask for it with the model `acme-large-3`.", false],
    ["Vision", "- Model `acme-large-3`", true],
    ["Models", "Use `acme-large-3` for it.", true],
  ])("release a model if they list it: %s, %s", (name, body, isRelease) => {
    const { categories } = analyse(before, `${before}\n## ${name}\n\n${body}\n`);
    expect(categories.includes("model-release")).toBe(isRelease);
  });
});
