import { describe, expect, it } from "vitest";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { changedWords } from "#lib/tracking/intelligence/rules/text/word-changes";
import { changeOf, links } from "./change-of";

const page = (body: string) => `# Acme\n\n## Queues\n\n${body}\n`;
const summaryOf = (before: string, after: string) => analyseByRules(changeOf(page(before), page(after))).summary;
const intro = "Queues hold messages.";

describe("links in sentences", () => {
  const plain = "A queue keeps its messages for seven days on every plan.";
  const linked = "A queue keeps its messages for seven days on [every plan](https://acme.example/plans).";

  it.each([
    ["new text", intro, `${intro}\n\n${linked}`, `Adds to Queues: “${plain.slice(0, -1)}”.`],
    ["lost text", `${intro}\n\n${linked}`, intro, `Removes from Queues: “${plain.slice(0, -1)}”.`],
    [
      "a row that ends with a link",
      "| Version | Notes | Link |\n|---|---|---|\n| 1.0 | First version of the queues for all | [Link](https://acme.example/1) |",
      "| Version | Notes | Link |\n|---|---|---|\n| 1.0 | First version of the queues for all | [Link](https://acme.example/1) |\n| 1.1 | Faster queues, also for the smallest plans | [Link](https://acme.example/2) |",
      "Adds to Queues: “1.1 | Faster queues, also for the smallest plans | Link”.",
    ],
  ])("are not counted beside the words: %s", (_name, before, after, summary) => {
    expect(summaryOf(before, after)).toBe(summary);
  });

  it("are counted if the words are the same", () => {
    expect(summaryOf(plain, linked)).toBe("Adds 1 link: every plan.");
    expect(summaryOf(linked, plain)).toBe("Removes 1 link: every plan.");
  });

  it("are named by titles that say something", () => {
    const more = "[here](https://acme.example/more)";
    expect(summaryOf("See our guide to long queues here.", `See our guide to long queues ${more}.`)).toBe(
      "Adds 1 link.",
    );
  });

  it("are counted in lists of links, whatever their text", () => {
    const entry = "- The page on what a queue is and does: https://acme.example/new\n";
    const { summary } = analyseByRules(changeOf(links(1, 12), links(1, 12) + entry));
    expect(summary).toMatch(/^Adds 1 link/);
  });
});

describe("quotes of text", () => {
  it("join the lines of a wrapped sentence, also in JSX", () => {
    const wrapped = [
      "<Callout",
      "  text={",
      "    <>",
      '      Limits. When using{" "}',
      '      <a href="/queues/batches">a batch</a>,',
      "      the limits of each queue will only",
      "      be checked for its first message.",
      "    </>",
      "  }",
      "/>",
    ].join("\n");
    expect(summaryOf(intro, `${intro}\n\n${wrapped}`)).toBe(
      "Adds to Queues: “When using a batch, the limits of each queue will only be checked for its first message”.",
    );
  });

  it("do not join what belongs to another block", () => {
    const list = "Queues need three names\n- a name of the queue itself\n- a name of its owner";
    expect(summaryOf(intro, `${intro}\n\n${list}`)).toBe(
      "Adds to Queues: “Queues need three names”, and 2 more lines.",
    );
  });

  it("count no lines without words", () => {
    const tagged = "<Tabs>\n<Tab>\n\nMessages can be sent twice.\n\n</Tab>\n</Tabs>";
    expect(summaryOf(intro, `${intro}\n\n${tagged}`)).toBe("Adds to Queues: “Messages can be sent twice”.");
  });

  it("are of what is new, beside what moved", () => {
    const moved = "More than one queue is only for paid plans.";
    const [before, after] = [
      `# Acme\n\n## Queues\n\n${intro}\n\n## Regions\n\nRegions are places.\n\n${moved}\n`,
      `# Acme\n\n## Queues\n\n${intro}\n\n${moved} Ask us for a third queue.\n\n## Regions\n\nRegions are places.\n`,
    ];
    expect(analyseByRules(changeOf(before, after)).summary).toBe("Adds to Queues: “Ask us for a third queue”.");
  });

  it("are not of images", () => {
    expect(summaryOf(intro, `${intro}\n\n![A queue of messages](/queue.png)`)).toBe("Adds 1 image to Queues.");
  });

  it("come before corrected spelling", () => {
    expect(
      summaryOf(
        "Queues recieve messages in order.",
        "Queues receive messages in order.\n\nMessages can be sent twice.",
      ),
    ).toBe("Adds to Queues: “Messages can be sent twice”. Corrects the spelling or formatting of 1 line in Queues.");
  });
});

describe("sentences of a summary", () => {
  const section = (body: string) => `# Acme\n\n## Models\n\n${body}\n`;
  const analyse = (before: string, after: string) => analyseByRules(changeOf(before, after));

  it("quote the dated statement, and name what else is announced", () => {
    const row = "| Model | Use |\n|---|---|\n| acme-1 | small texts |";
    const after = `${row.replace("acme-1", "acme-1 (deprecated)")}\n\n**Deprecated:** acme-1 will be shut down on 30 June 2027.`;
    expect(analyse(section(row), section(after)).summary).toContain(
      "Announces a deprecation or shutdown under Models (30 June 2027): “Deprecated: acme-1 will be shut down on 30 June 2027”, and for acme-1.",
    );
  });

  it("do not repeat a quotation", () => {
    const { summary } = analyse("# Acme\n", "# Acme\n\n## Keys\n\nKeys are now available to all teams.\n");
    expect(summary).toBe("Adds the section Keys: “Keys are now available to all teams”.");
  });

  it("quote the part of a line that states something, also with code", () => {
    const entry = "- [Transactions](https://acme.example/t): levels, retries and errors";
    const fixed = "; a bug that reported `40001` twice is fixed";
    expect(analyse(section(entry), section(entry + fixed)).summary).toContain(
      "Mentions a fix for Transactions: “a bug that reported 40001 twice is fixed”.",
    );
  });

  it("name a new entry once, in the announcement", () => {
    const entry = "- [Warm pools](https://acme.example/pools): new; machines that are ready";
    expect(
      analyse(section("- [A](https://acme.example/a): one"), section(`- [A](https://acme.example/a): one\n${entry}`))
        .summary,
    ).toBe("Announces a new feature for Warm pools: “Warm pools: new”.");
  });

  it("say what a limit is for, and what was added after a mark", () => {
    const limits = (size: number) => section(`- [Limits](https://acme.example/l): ${size} MB a row`);
    expect(analyse(limits(8), limits(16)).summary).toBe("Limits rise from 8 to 16 MB a row.");
    const asset = "- [Assets](https://acme.example/s): kept for days";
    expect(analyse(section(asset), section(`${asset}; served from another network`)).summary).toBe(
      "Adds “served from another network” in Models.",
    );
  });

  it("compare prices with prices and percentages with percentages", () => {
    const cost = (text: string) => `# Acme\n\n## Fees\n\nCard payments cost ${text}.\n`;
    const { facts } = analyse(cost("1.3 % + €0.20"), cost("1.4 % + €0.15 below €80,000 a month"));
    expect(facts).toEqual([
      expect.stringContaining("from €0.20 to €0.15"),
      expect.stringContaining("€80,000 a month"),
      expect.stringContaining("from 1.3 to 1.4 %"),
    ]);
  });

  it("take the day until which something answers for its end", () => {
    const { summary, significance } = analyse(
      "# Acme\n",
      "# Acme\n\nAPI v1 answers until 31 March 2027 and then returns 410.\n",
    );
    expect(significance).toBe(4);
    expect(summary).toContain("(31 March 2027): “API v1 answers until 31 March 2027 and then returns 410”");
  });
});

describe("words that only one line has", () => {
  it.each([
    ["both Command R and D", "both Command A, Command B, Command R and D", "Command A, Command B,"],
    ["Send first, then wait.", "Send first, wait a second, then wait.", "wait a second,"],
    ["one two", "one one two", "one"],
  ])("end with a punctuation mark if they can: %s → %s", (before, after, now) => {
    const change = changedWords(before, after);
    expect(change).toMatchObject({ old: "", now });
    expect(changedWords(after, before)).toEqual({ ...change, old: change.now, now: change.old });
  });
});
