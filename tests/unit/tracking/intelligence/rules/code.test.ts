import { describe, expect, it } from "vitest";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { changeOf, links } from "./change-of";

const page = (body: string) => `# Acme\n\n## Usage\n\nSend a job to the queue and wait for its end.\n\n${body}\n`;
const analyse = (before: string, after: string) => analyseByRules(changeOf(page(before), page(after)));
const code = (language: string, ...lines: string[]) => `\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;

describe("changed code", () => {
  it("names the call that another replaces, not one of another variable", () => {
    const before = code("js", "await client.createJob(job);");
    expect(analyse(before, code("js", "await client.jobs.createJob({ job });"))).toMatchObject({
      significance: 3,
      categories: ["sdk-update"],
      summary: "The call client.createJob becomes client.jobs.createJob (Usage).",
    });
    expect(analyse(before, code("js", "await acme.createJob(job);")).summary).not.toMatch(/becomes acme\.createJob \(/);
  });

  it("is an update of a library if only the names in it differ, and formatting if only its layout does", () => {
    const before = code("py", "queue.run(job, wait=True, retries=3)");
    expect(analyse(before, code("py", "queue.run(job, retries=3)"))).toMatchObject({ categories: ["sdk-update"] });
    const indented = `  <Tab>\n${code("py", "queue.run(job, wait=True, retries=3)").replace(/^/gm, "      ")}\n  </Tab>`;
    expect(analyse(`  <Tab>\n${before}\n  </Tab>`, indented)).toMatchObject({
      significance: 1,
      categories: ["formatting-only"],
    });
  });

  it("says in which language an example is new", () => {
    const example = code("php", "$queue = new Queue();", "$job = $queue->add('job');", "echo $job->id;", "exit;");
    expect(analyse("", example)).toMatchObject({
      significance: 2,
      categories: ["sdk-update", "content-expansion"],
      summary: "Adds an example in PHP to Usage.",
    });
  });

  it("is only named in languages that are known", () => {
    const example = code("constructor", "a", "b", "c", "d");
    expect(analyse("", example)).toMatchObject({ summary: expect.not.stringContaining("example") });
  });

  it.each([
    ["acme@3.1.0", "acme@4.0.0", 3, "The version of acme changes from 3.1.0 to 4.0.0."],
    ["acme==3.1", "acme==3.2", 1, "The version of acme changes from 3.1 to 3.2."],
  ])("names the version of a package: %s to %s", (old, now, significance, summary) => {
    expect(analyse(code("sh", `tool add ${old}`), code("sh", `tool add ${now}`))).toMatchObject({
      significance,
      summary,
      categories: ["sdk-update"],
    });
  });

  it("names the fields of data that are new, renamed or gone", () => {
    const before = code("json", "{", '  "status": 404,', '  "expiration_date": null', "}");
    expect(analyse(before, before.replace("404,", '404,\n  "code": "not_found",'))).toMatchObject({
      significance: 2,
      categories: ["api-change"],
      summary: "The field code is new (Usage).",
    });
    expect(analyse(before, before.replace("expiration_date", "expiration_at")).summary).toMatch(
      /^The field expiration_date becomes expiration_at \(Usage\)/,
    );
  });

  it("names models by their names in code", () => {
    expect(analyse("Use the model `pine-large-2` for it.", "Use the model `pine-large-3` for it.")).toMatchObject({
      categories: ["model-release"],
      summary: "The model pine-large-2 becomes pine-large-3 (Usage).",
    });
  });
});

describe("entries of references", () => {
  const table = (...rows: string[]) => ["| Option | Type |", "|---|---|", ...rows].join("\n");
  const before = table("| `max_jobs` | String |", "| `onError` | Function |");

  it("are named if they are new, changed or gone", () => {
    expect(analyse(before, table("| `max_jobs` | Integer |", "| `onError` | Function |"))).toMatchObject({
      significance: 2,
      categories: ["api-change"],
      summary: "In the entry max_jobs, “String” becomes “Integer”.",
    });
    expect(analyse(before, `${before}\n| \`max_age\` | Integer |`).summary).toBe("The entry max_age is new (Usage).");
    expect(analyse(before, table("| `max_jobs` | String |"))).toMatchObject({
      significance: 3,
      categories: ["api-change"],
      summary: "The entry onError is gone (Usage).",
    });
  });

  it("are options in the help text of commands, too", () => {
    const help = code("", "Flags:", "  -j, --json   JSON output", "  -v, --verbose   More output");
    expect(analyse(help, help.replace("  -j, --json   JSON output\n", ""))).toMatchObject({
      significance: 3,
      categories: ["api-change"],
      summary: "The entry --json is gone (Usage).",
    });
  });
});

describe("statements of availability", () => {
  it("that end are a new feature, unless something is still missing", () => {
    const before = "Queues currently support strings only. Streams will be supported soon.";
    expect(analyse(before, "Queues support strings and streams.")).toMatchObject({
      significance: 3,
      categories: ["new-feature"],
      summary: expect.stringMatching(/^No longer states under Usage: “Queues currently support strings only”/),
    });
    expect(analyse(before, "Queues do not support streams.").categories).not.toContain("new-feature");
  });

  it("that begin, and announced changes that have happened, are changes of the API", () => {
    const udp = "Try another transport, such as TCP or UDP, to find the cause of the error.";
    const noUdp =
      "Try another transport, such as TCP, as UDP is not currently available, to find the cause of the error.";
    expect(analyse(udp, noUdp)).toMatchObject({ significance: 3, categories: ["api-change"] });
    const announced = "The attribute status will soon be renamed to payment status for all invoices.";
    expect(analyse(announced, announced.replace("will soon be", "has been"))).toMatchObject({
      significance: 3,
      categories: ["api-change"],
    });
  });
});

describe("the words of a page", () => {
  const words = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word}${i}`).join(" ");

  it.each([
    [1, 20],
    [2, 21],
    [2, 200],
    [3, 201],
  ])("give a significance of %i if %i are new", (significance, count) => {
    expect(analyse("", words(count, "word")).significance).toBe(significance);
  });

  it("count once if text moves within the page", () => {
    const [a, b] = [words(150, "a"), words(150, "b")];
    expect(analyse(`${a}\n\n${b}`, `${b}\n\n${a}`).significance).toBe(1);
  });

  it("tell a lost section from one that is rewritten under another name", () => {
    const section = (name: string, word: string) => `## ${name}\n\n${words(60, word)}`;
    expect(analyse(section("Old", "a"), "").significance).toBe(4);
    expect(analyse(section("Old", "a"), section("New", "b"))).toMatchObject({
      significance: 3,
      categories: expect.arrayContaining(["docs-restructure"]),
    });
    expect(analyse(links(1, 9), "").significance).toBeLessThan(4);
  });
});
