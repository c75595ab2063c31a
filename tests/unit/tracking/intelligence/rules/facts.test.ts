import { describe, expect, it } from "vitest";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { changeOf, links } from "./change-of";

const page = (body: string, title = "Acme") => `# ${title}\n\n## Docs\n\n${links(1, 20)}\n${body}\n`;
const analyse = (before: string, after: string) => analyseByRules(changeOf(before, after));
const replaced = (body: string, from: string, to: string) => analyse(page(body), page(body.replace(from, to)));

describe("facts about values", () => {
  it.each([
    [
      "The pay-as-you-go ceiling is $160 a month.",
      "160",
      "360",
      "The pay-as-you-go ceiling rises from $160 to $360 a month.",
    ],
    ["| Price (per 100K messages) | \\$0.20 |", "0.20", "0.02", "Price (per 100K messages) falls from $0.20 to $0.02."],
    ["- [Fees](https://acme.example/fees): card payments cost 1.2 %", "1.2", "1.4", "Fees rise from 1.2 to 1.4 %."],
    ["- **Storage**: $0.25 per GB", "$0.25", "$0.30", "Storage rises from $0.25 to $0.30 per GB."],
  ])("name the price, old and new: %s", (body, from, to, summary) => {
    const result = replaced(body, from, to);
    expect(result).toMatchObject({ summary, significance: 4 });
    expect(result.categories[0]).toBe("pricing-change");
  });

  it.each([
    ["| Retention | 3 days on the pro plan |", "3 days", "7 days"],
    ["A build costs 20 % less time than before.", "20", "30"],
    ["Our pricing is simple and fair.", "simple and fair", "fair and simple to read"],
    ["See the [pricing page](https://acme.example/pricing) for what 3 seats cost.", "3 seats", "4 seats"],
  ])("are no prices without a sum of money that differs: %s", (body, from, to) => {
    const result = replaced(body, from, to);
    expect(result.categories).not.toContain("pricing-change");
    expect(result.significance).toBeLessThan(4);
  });

  it.each([
    ["100", "50", 4],
    ["100", "200", 2],
  ])("a plan that contains less is significant, but no price: %s to %s", (from, to, significance) => {
    const result = replaced("The free plan has 100 requests a day.", from, to);
    expect(result).toMatchObject({ significance, categories: ["api-change"] });
  });

  it.each([
    ["| Max Request Size | 1MB |", "1MB", "10MB", "Max Request Size rises from 1MB to 10MB."],
    ["Uploads are limited to 20 MB.", "20", "35", "Uploads: 35 MB instead of 20 MB."],
    ["| Max Bandwidth | 50 GB per day. |", "day", "month", "Max Bandwidth changes from per day to per month."],
  ])("name the limit, old and new: %s", (body, from, to, summary) => {
    expect(replaced(body, from, to)).toMatchObject({ summary, significance: 2, categories: ["api-change"] });
  });

  it("name the end whose date moved", () => {
    const body = "## Deprecations\n\n| Shutdown | Model |\n|---|---|\n| 2025-03-31 | `rerank-2` |";
    expect(replaced(body, "2025-03-31", "2025-04-30")).toMatchObject({
      summary: "The end of rerank-2 moves from 2025-03-31 to 2025-04-30.",
      significance: 4,
      categories: ["deprecation"],
    });
  });

  it("name endpoints and parameters that were renamed, added or removed", () => {
    expect(replaced("Send it to `/v1/publish/{url}`.", "/v1/", "/v2/").summary).toBe(
      "The endpoint /v1/publish/{url} becomes /v2/publish/{url} (Docs).",
    );
    const reference = "## GET /api/limits\n\nReturns the limits of a team, with their names.";
    expect(replaced(reference, "/api/limits", "/v1/limits")).toMatchObject({
      summary: "The endpoint GET /api/limits becomes GET /v1/limits.",
      significance: 4,
    });
    const field = '<ParamField path="debug" type="string">\n  Logs more.\n</ParamField>';
    expect(analyse(page("Fields."), page(`Fields.\n${field}`)).summary).toMatch(
      /^The parameter debug is new \(Docs\)\./,
    );
    expect(analyse(page(`Fields.\n${field}`), page("Fields."))).toMatchObject({
      significance: 3,
      summary: expect.stringMatching(/^The parameter debug is gone \(Docs\)\./),
    });
  });

  it("name the package that replaces another in code", () => {
    const code = "```py\nfrom acme_queue import Client\n```";
    const result = replaced(code, "acme_queue", "quick_queue");
    expect(result).toMatchObject({ significance: 3, categories: ["sdk-update"] });
    expect(result.summary).toBe("The package acme_queue becomes quick_queue (Docs).");
  });
});

describe("markup", () => {
  it("is read as people see it", () => {
    const card = '<Card title="Queues" icon="list" href="https://acme.example/queues">';
    expect(analyse(page("Cards."), page(`Cards.\n${card}`)).summary).toBe("Adds 1 link: Queues.");
    const anchor = '<a target="_blank" href="https://acme.example/colab">Open in Colab</a>';
    expect(analyse(page("Cards."), page(`Cards.\n${anchor}`)).summary).toBe("Adds 1 link: Open in Colab.");
  });

  it("has no news in front matter, escapes, the wrapping of code and the notes of generators", () => {
    const file = (title: string, note: string, body: string) =>
      `---\ntitle: ${title}\n---\n\n## Docs\n\n${note}\n\n${links(1, 9)}\n${body}\n`;
    const before = file("Old", "Last updated: 2026-01-01", "It costs \\$5: always.\n\n```js\nrun('a')\n```");
    const after = file(
      "Introducing it, now deprecated",
      "Last updated: 2026-02-02",
      'It costs $5: always.\n\n```js\nrun("a");\n```',
    );
    expect(analyse(before, after)).toMatchObject({ significance: 1, categories: ["formatting-only"] });
    expect(analyse(page("Generated by acme-docs 1.0"), page("Generated by acme-docs 1.1")).summary).toMatch(
      /unchanged/,
    );
  });

  it("has no libraries in paths", () => {
    const body = "The guide moved, see /docs/redis/sdks/ts/start for all of it.";
    expect(analyse(page("Guides."), page(`Guides.\n${body}`)).categories).not.toContain("sdk-update");
  });
});

describe("summaries of prose", () => {
  it("quote what changed, and correct spelling without a significance", () => {
    const body = "A box is an isolated container that lives for an hour after its last use.";
    expect(replaced(body, "an hour", "two hours").summary).toBe("The wording “an hour” becomes “two hours” in Docs.");
    expect(analyse(page(body), page(`${body}\n\nBoxes are in a developer preview today.`)).summary).toBe(
      "Adds to Docs: “Boxes are in a developer preview today”.",
    );
    expect(replaced("It is deprecatated on 2026-05-01.", "deprecatated", "deprecated")).toMatchObject({
      significance: 1,
      summary: "Corrects the spelling or formatting of 1 line in Docs.",
    });
  });
});

describe("entries and lines", () => {
  const list = "- `acme-large-1`: general\n- `acme-judge-1`: rates spam";
  const table = "| Model | Use |\n|---|---|\n| `acme-large-1` | chat |\n| `acme-judge-1` | spam |";

  it.each([
    [`### Models\n\n${list}`, "- `acme-judge-1`: rates spam"],
    [`### Models\n\n${table}`, "| `acme-judge-1` | spam |"],
    [list, "- `acme-judge-1`: rates spam"],
  ])("are significant if they are gone: %j", (body, entry) => {
    const result = replaced(body, entry, "");
    expect(result).toMatchObject({ significance: 3, categories: ["api-change"] });
    expect(result.summary).toMatch(/^The entry acme-judge-1 is gone/);
    expect(analyse(page(body), page(`${body.replace(entry, "")}\nUse \`acme-judge-1\`.`)).significance).toBe(1);
  });

  it.each([
    ["- Pro: $30 per month", "pricing-change"],
    ["Logs help.", "content-reduction"],
  ])("are no formatting if they are new or lost: %s", (line, lost) => {
    const [without, withLine] = [page("- Free: nothing"), page(`- Free: nothing\n\n${line}`)];
    expect(analyse(without, withLine).categories).toEqual(["content-expansion"]);
    expect(analyse(withLine, without).categories).toEqual([lost]);
  });
});

describe("fixes", () => {
  const categoriesOf = (words: string) => analyse(page("Logs."), page(`Logs.\n\n${words}`)).categories;

  it.each([
    "The crash on empty input is now fixed.",
    "Several errors in the parser were fixed.",
    "Fixed in 2.1: retries after a timeout.",
    "Fixes a wrong status of refunds.",
    "Refunds twice, which was fixed in version 2.",
  ])("are of something broken: %s", (words) => {
    expect(categoriesOf(words)).toContain("bug-fix");
  });

  it.each([
    "Prices are fixed for a year.",
    "The order of the columns is fixed.",
    "Rates, fixed in the contract, stay for a year.",
    "We fixed the prices for a year.",
  ])("are not made of what stays the same: %s", (words) => {
    expect(categoriesOf(words)).not.toContain("bug-fix");
  });
});

describe("text that moves to other lines", () => {
  const [first, second] = ["Requests time out after 30 seconds.", "Keys expire after 90 days."];
  const entries = "- `retry_later`: wait\n- `bad_key`: renew";

  it.each([
    [`${first}\n${entries}\n${second}`, "Adds the entries retry_later and bad_key."],
    [`${first}\n\n${entries}\n\n${second}`, "Adds the entries retry_later and bad_key."],
    [`${first}\n\nLogs last a week.\n\n${second}`, "Adds to Docs: “Logs last a week”."],
    [first, "Drops “Keys expire after 90 days” in Docs."],
  ])("is neither dropped nor added: %j", (after, summary) => {
    expect(analyse(page(`${first} ${second}`), page(after)).summary).toBe(summary);
  });

  it("is not added if paragraphs are joined", () => {
    const { summary } = analyse(page(`${first}\n\nLogs last a week.\n\n${second}`), page(`${first} ${second}`));
    expect(summary).toBe("Removes from Docs: “Logs last a week”.");
  });
});

describe("lost links", () => {
  it("count as a share only from ten links on", () => {
    const file = (count: number) => `# Acme\n\n## Docs\n\n${links(1, count)}`;
    expect(analyse(file(9), file(4)).significance).toBe(2);
    expect(analyse(file(9), file(4)).summary).toBe("Removes 5 links: Page 5, Page 6, Page 7 and 2 more.");
    expect(analyse(file(10), file(4)).significance).toBe(5);
  });
});
