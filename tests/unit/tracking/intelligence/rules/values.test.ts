import { describe, expect, it } from "vitest";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { changeOf } from "./change-of";

const page = (section: string, body: string) => `# Acme\n\n## ${section}\n\n${body}\n`;
const table = (...rows: string[]) => [rows[0], rows[0]!.replace(/[^|]+/g, "---"), ...rows.slice(1)].join("\n");
const analyse = (before: string, after: string) => analyseByRules(changeOf(before, after));
const replaced = (section: string, body: string, from: string, to: string) =>
  analyse(page(section, body), page(section, body.replace(from, to)));

describe("limits", () => {
  it.each([
    ["Plans", "- Starter: $19 a month, 5 webhooks", "5", "3", "Webhooks on the Starter plan fall from 5 to 3."],
    ["Plans", "- **Free**: 9 messages a day", "9", "5", "Messages a day on the Free plan fall from 9 to 5."],
    ["Limits", "Keys last 30 days. Ask us.", "30", "60", "Keys: 60 days instead of 30 days."],
    ["Use", "Rate limits: 6 a day for free keys, 20 for paid ones.", "20", "30", "Rate limits rise from 20 to 30."],
    ["Use", "Rate limits: 6 jobs a day.", "6", "20", "Rate limits rise from 6 to 20 jobs a day."],
    [
      "Errors",
      "Texts with a limit of 2000 tokens.",
      "2000",
      "2400",
      "A limit under Errors rises from 2000 to 2400 tokens.",
    ],
    [
      "Use",
      "The limit is 9 MB / 2 days.",
      "9 MB / 2 days",
      "9 MB / day",
      "The limit changes from 9 MB / 2 days to 9 MB / day.",
    ],
    ["Use", "The starter plan has 5 webhooks.", "5", "3", "Webhooks on the starter plan fall from 5 to 3."],
    ["Limits", "- 5 webhooks per key", "5", "7", "Webhooks per key rise from 5 to 7."],
    ["Limits", "Up to 100 requests per minute.", "100", "200", "Requests per minute rise from 100 to 200."],
    ["Limits", "The API allows 10 calls.", "10", "20", "Calls for the API rise from 10 to 20."],
    ["Limits", "The rate limit is 10 calls.", "10", "20", "The rate limit rises from 10 to 20 calls."],
    ["Limits", "No more than 5 MB.", "5", "9", "A limit under Limits rises from 5 to 9 MB."],
  ])("say what the number counts, and on which plan: under %s, %s", (section, body, from, to, summary) => {
    expect(replaced(section, body, from, to)).toMatchObject({ summary, categories: ["api-change"] });
  });

  it.each([
    [
      "| | Free | Pro |",
      "| Requests per day | 100 | 1,000 |",
      "1,000",
      "2,000",
      "Requests per day on Pro rise from 1,000 to 2,000.",
    ],
    ["| Plan | Price | Webhooks |", "| Acme One | $19 | 5 |", "5", "3", "Webhooks on Acme One fall from 5 to 3."],
    [
      "| Resource | Starter |",
      "| Seats | Unlimited |",
      "Unlimited",
      "10",
      "Seats on Starter change from Unlimited to 10.",
    ],
    ["| | Free | Pro |", "| Logs | No | Yes |", "Yes", "No", "Logs on Pro: No instead of Yes."],
    ["| Model | Batch |", "| Fir | ❌ |", "❌", "✅", "Batch of Fir: ✅ instead of ❌."],
    ["| Name | Limit |", "| Body size | 1 MB |", "1 MB", "2 MB", "Body size rises from 1 to 2 MB."],
    [
      "| Endpoint | Rate limit per key |",
      "| Search | 10 |",
      "10",
      "20",
      "Rate limit per key of Search rises from 10 to 20.",
    ],
    [
      "| | acme-large | acme-small |",
      "| Requests a day | 10 | 20 |",
      "20",
      "30",
      "Requests a day of acme-small rise from 20 to 30.",
    ],
  ])("of a table have the row and the column: %s, %s", (header, row, from, to, summary) => {
    expect(replaced("Usage", table(header, row), from, to).summary).toBe(summary);
  });

  it("are significant if a plan gets less, also in a table and from no limit at all", () => {
    const row = (seats: string) => page("Plans", table("| Plan | Seats |", `| Starter | ${seats} |`));
    expect(analyse(row("5"), row("3")).significance).toBe(4);
    expect(analyse(row("unlimited"), row("3")).significance).toBe(4);
    expect(analyse(row("5"), row("7")).significance).toBe(2);
    expect(analyse(row("Yes"), row("No")).significance).toBe(4);
  });

  it("are the same with other spaces, and with fewer words", () => {
    const row = (limit: string) => page("Limits", table("| Endpoint | Limit |", `| Search | ${limit} |`));
    expect(analyse(row("5 calls/min"), row("5/min")).facts).toBeUndefined();
    expect(analyse(row("1 MB"), row("1MB")).facts).toBeUndefined();
    expect(analyse(row("1 MB"), row("1 GB")).facts).toEqual(["Search changes from 1 MB to 1 GB."]);
  });

  it("are not those of another plan in the same row of a table", () => {
    const row = (name: string, size: string) => page("Use", table("| Plan | Size |", `| ${name} | ${size} |`));
    expect(analyse(row("Fixed 12GB", "12GB"), row("Fixed 10GB", "10GB")).significance).toBeLessThan(4);
  });
});

describe("prices", () => {
  it("of a table have the row and the column", () => {
    const body = table("| | Free | Pro |", "| Price | $0 | $19 |", "| Webhooks | 1 | 5 |");
    const result = analyse(page("Use", body), page("Use", body.replace("$19", "$29").replace("5 |", "3 |")));
    expect(result).toMatchObject({ significance: 4, categories: ["pricing-change", "api-change"] });
    expect(result.summary).toBe("Price on Pro rises from $19 to $29. Webhooks on Pro fall from 5 to 3.");
  });

  it("are about the subject of their own sentence", () => {
    expect(replaced("Use", "Hobby is free. Pro costs $20 a month.", "20", "25").summary).toBe(
      "Pro rises from $20 to $25 a month.",
    );
    expect(replaced("Use", "Hobby is free. From 1 March, Pro costs $20 a month.", "20", "25").facts).toEqual([
      "Pro rises from $20 to $25 a month.",
    ]);
  });

  it("count when something that was there gets its first one, in a sentence or a table", () => {
    const before = page("Sandbox pricing", "Sandboxes run code.");
    const sentence = page("Sandbox pricing", "Sandboxes run code.\n\nA sandbox costs $0.05 an hour.");
    expect(analyse(before, sentence)).toMatchObject({ significance: 4, categories: ["pricing-change"] });
    const rows = page(
      "Sandbox pricing",
      `Sandboxes run code.\n\n${table("| Resource | Rate |", "| CPU | $0.05 an hour |")}`,
    );
    expect(analyse(before, rows)).toMatchObject({ significance: 4, categories: ["pricing-change"] });
  });

  it("do not count in a new section, and in a new row of a table that had prices", () => {
    const before = page("Plans", table("| Plan | Price |", "| Pro | $19 a month |"));
    expect(analyse(before, `${before}| Team | $49 a month |\n`).significance).toBe(1);
    const section = "\n## GPUs\n\nA GPU runs models. It costs $2 an hour.\n";
    expect(analyse(before, before + section)).toMatchObject({ significance: 3, categories: ["content-expansion"] });
  });

  it("count when they are gone from a table", () => {
    const before = page("Pricing", `All plans have support.\n\n${table("| | Free | Big |", "| Price | $0 | $90 |")}`);
    expect(analyse(before, page("Pricing", "All plans have support."))).toMatchObject({
      significance: 4,
      categories: ["pricing-change"],
    });
  });

  it("are announced with the words that announce them", () => {
    expect(replaced("Plans", "- Starter (free): 100 requests", "(free)", "(no longer free)").summary).toMatch(
      /^Announces a change of prices for Starter: “Starter \(no longer free\): 100 requests”\./,
    );
  });
});

describe("versions", () => {
  it.each([
    ["The Python SDK is at version 2.4.", "2.4", "3.0", "The Python SDK changes from version 2.4 to 3.0."],
    ["- Python SDK: 2.4.1", "2.4.1", "3.0.0", "Python SDK changes from version 2.4.1 to 3.0.0."],
    [
      "- Python: package `acme`, version 2.9, Python 3.10 or newer",
      "2.9, Python 3.10",
      "3.0, Python 3.11",
      "Python changes from version 2.9 to 3.0.",
    ],
    ["Install `npm install @acme/sdk@2`.", "@2", "@3", "The version of @acme/sdk changes from 2 to 3."],
    [table("| SDK | Version |", "| Node | 4.2.0 |"), "4.2.0", "5.0.0", "Node changes from version 4.2.0 to 5.0.0."],
  ])("of SDKs and packages are read in text, too: %s", (body, from, to, summary) => {
    expect(replaced("Install", body, from, to)).toMatchObject({ significance: 3, categories: ["sdk-update"], summary });
  });

  it("have a significance of 1 if the major version stays, and are none outside of libraries", () => {
    expect(replaced("SDKs", "The Python SDK is at version 2.4.", "2.4", "2.5").significance).toBe(1);
    const kept = replaced("Terms", "See version 2.4 of the terms.", "2.4", "3.0");
    expect([kept.significance, kept.facts]).toEqual([1, undefined]);
    const needed = replaced("SDKs", "The Python SDK requires version 2.4 of the server.", "2.4", "3.0");
    expect([needed.significance, needed.facts]).toEqual([1, undefined]);
  });

  it("are a move to another client if both the package and its calls are others: 4", () => {
    const code = (name: string, call: string) =>
      page("Use", `\`\`\`py\nfrom ${name} import Client\n\nclient.${call}(1)\nprint(1)\n\`\`\``);
    expect(analyse(code("acme_queue", "publish"), code("queue", "message.publish"))).toMatchObject({
      significance: 4,
      categories: ["sdk-update", "api-change"],
    });
  });
});

describe("renames and ends", () => {
  it("of an endpoint are said once, whatever else follows from them", () => {
    const body =
      "## POST /v1/messages\n\nSends one with POST /v1/messages.\n\n```sh\ncurl https://api.acme.example/v1/messages\n```";
    const result = analyse(page("API", body), page("API", body.replaceAll("messages", "emails")));
    expect(result).toMatchObject({
      significance: 4,
      summary: "The endpoint POST /v1/messages becomes POST /v1/emails.",
    });
    expect(result.categories[0]).toBe("api-change");
    expect(result.facts).toHaveLength(1);
  });

  it("of an endpoint are said once for all methods, without what follows its path", () => {
    const body = "- POST /v1/messages: sends one\n- GET /v1/messages: lists them";
    expect(analyse(page("API", body), page("API", body.replaceAll("v1", "v2"))).summary).toBe(
      "The endpoint POST /v1/messages becomes POST /v2/messages (API).",
    );
  });

  it.each([
    "- `acme-large-1`: deprecated, and shut down on 2027-01-01",
    "| `acme-large-1` | deprecated |",
    "The model `acme-large-1` is retired on 2027-01-01.",
  ])("of a model are not called new: %s", (line) => {
    const before = page("Models", "- `acme-large-2`: our best model");
    const result = analyse(before, `${before}${line}\n`);
    expect(result.summary).not.toMatch(/is new/);
    expect(result.categories).toEqual(["deprecation"]);
  });

  it("are announced by what a vendor no longer does", () => {
    expect(replaced("Models", "We serve `acme-1` for you.", "We serve", "We no longer serve")).toMatchObject({
      significance: 4,
      categories: ["deprecation"],
    });
  });
});

describe("quotes", () => {
  const long = Array.from({ length: 20 }, (_, index) => `Sentence ${index} of a long paragraph stays.`).join(" ");

  it("of a long line begin with the sentence that changed", () => {
    const { keyQuotes } = replaced("Keys", `${long} Keys last for ever. Ask us.`, "for ever", "90 days");
    expect(keyQuotes).toEqual(["Keys last 90 days. Ask us."]);
  });

  it("are from the newer text if anything was added, and from the older one if not", () => {
    const before = page("Batches", "Batches are coming soon.\n\nAsk us.");
    const after = page("Batches", "Send up to one hundred jobs together.\n\nAsk us.");
    expect(analyse(before, after).keyQuotes).toEqual(["Send up to one hundred jobs together."]);
    expect(analyse(before, page("Batches", "Ask us.")).keyQuotes).toEqual(["Batches are coming soon."]);
  });
});

describe("categories", () => {
  it("have a new section of a page on an API as a change of the API", () => {
    const api = (body: string) => `# Public API\n\nIt is small.\n\n${body}`;
    expect(analyse(api(""), api("## Projects\n\nDelete a project with a token.\n")).categories).toEqual([
      "content-expansion",
      "api-change",
    ]);
  });

  it("do not take the numbers of a list, or a number more or less, for a limit", () => {
    const body = "Run 2 jobs, then stop the others.";
    expect(replaced("Use", body, "2 jobs", "all jobs").categories).not.toContain("api-change");
    expect(replaced("Use", body, "2 jobs", "3 jobs").categories).toEqual(["api-change"]);
  });
});
