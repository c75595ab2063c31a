import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { changedWords } from "#lib/tracking/intelligence/rules/text/words";
import { changeOf, links } from "./change-of";

const caseSchema = z.tuple([z.tuple([z.string(), z.string(), z.string()]), z.string()]);
const cases = z
  .record(z.string(), z.array(caseSchema))
  .parse(parse(readFileSync(join(import.meta.dirname, "cases.yaml"), "utf8")));

/** What the pages with these names have before the text of a case. */
const introductions: Record<string, string> = {
  "Docs with links": `${links(1, 20)}\n`,
  "Usage with text": "Send a job to the queue and wait for its end.\n\n",
};

function fileOf(page: string, text: string): string {
  const body = text.replace(/\{links (\d+)-(\d+)\}\n/g, (_all, from, to) => links(Number(from), Number(to)));
  if (page === "file") return body;
  return `# Acme\n\n## ${page.split(" with ")[0]}\n\n${introductions[page] ?? ""}${body}\n`;
}

describe.each(Object.entries(cases))("%s", (_rule, changes) => {
  it.each(changes)("%j: %s", ([page, verdict, summary], text) => {
    const side = (index: "$1" | "$2") => fileOf(page, text.replace(/\[\[([\s\S]*?)→([\s\S]*?)\]\]/g, index));
    const result = analyseByRules(changeOf(side("$1"), side("$2")));
    const [significance, ...categories] = verdict.split(" ");
    expect(result).toMatchObject({ significance: Number(significance), categories, summary });
  });
});

describe("quotes", () => {
  const quotesOf = (before: string, after: string) =>
    analyseByRules(changeOf(fileOf("Batches", before), fileOf("Batches", after))).keyQuotes;

  it("of a long line begin with the sentence that changed", () => {
    const long = Array.from({ length: 20 }, (_, index) => `Sentence ${index} of a long paragraph stays.`).join(" ");
    const keys = (time: string) => `${long} Keys last ${time}. Ask us.`;
    expect(quotesOf(keys("for ever"), keys("90 days"))).toEqual(["Keys last 90 days. Ask us."]);
  });

  it("are from the newer text if anything was added, and from the older one if not", () => {
    const before = "Batches are coming soon.\n\nAsk us.";
    const after = "Send up to one hundred jobs together.\n\nAsk us.";
    expect(quotesOf(before, after)).toEqual(["Send up to one hundred jobs together."]);
    expect(quotesOf(before, "Ask us.")).toEqual(["Batches are coming soon."]);
  });
});

it.each([
  ["both Command R and D", "both Command A, Command B, Command R and D", "Command A, Command B,"],
  ["Send first, then wait.", "Send first, wait a second, then wait.", "wait a second,"],
  ["one two", "one one two", "one"],
])("words that only one line has end with a punctuation mark if they can: %s, %s", (before, after, now) => {
  const change = changedWords(before, after);
  expect(change).toMatchObject({ old: "", now });
  expect(changedWords(after, before)).toEqual({ ...change, old: change.now, now: change.old });
});
