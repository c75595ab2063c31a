import { describe, expect, it } from "vitest";
import { bundledModels, compareModels, resolveNames, summarizeChanges } from "#lib/models/index";
import type { SourceRow } from "#lib/models/read-source";

const now = new Date("2026-11-25T12:00:00Z");
const catalogue = bundledModels(now);
const row = (given: Partial<SourceRow> = {}): SourceRow => ({ provider: "acme", id: "m", status: "active", ...given });
const compare = (before: SourceRow[], after: SourceRow[]) => compareModels(before, after, { now, catalogue });

describe("a change of a model", () => {
  const cases: [before: Partial<SourceRow>, after: Partial<SourceRow>, field: string, significance: number][] = [
    [{}, { retired: "2027-01-01" }, "retired", 4],
    [{ notBefore: "2026-12-01" }, { retired: "2027-01-01" }, "retired", 4],
    [{ notBefore: "2027-03-01" }, { retired: "2027-01-01" }, "retired", 5],
    [{ retired: "2027-01-02" }, { retired: "2027-01-01" }, "retired", 5],
    [{ retired: "2027-01-01" }, { retired: "2027-01-02" }, "retired", 3],
    [{ retired: "2027-01-01" }, {}, "retired", 3],
    [{ status: "active" }, { status: "retired" }, "status", 4],
    [{ status: "active" }, { status: "deprecated" }, "status", 3],
    [{ notBefore: "2027-02-01" }, { notBefore: "2027-01-01" }, "retired_not_before", 3],
    [{ notBefore: "2027-01-01" }, { notBefore: "2027-02-01" }, "retired_not_before", 2],
    [{ price: [1, 2, null, null] }, { price: [1, 2, 0.5, null] }, "price", 4],
    [{ successors: ["acme/n"] }, { successors: ["acme/o"] }, "successors", 3],
    [{ limits: [8, null] }, { limits: [16, null] }, "limits", 2],
  ];
  it.each(cases)("from %j to %j is a change of %s with the significance %i", (before, after, field, significance) => {
    const found = compare([row(before)], [row(after)]).find((change) => change.field === field);
    expect(found).toMatchObject({ provider: "acme", model: "m", significance });
  });

  it("is none if nothing but the day of reading differs, or time has passed", () => {
    const read = (day: string) => row({ retired: "2026-11-01", sources: [["https://acme.example", day]] });
    expect(compare([read("2026-08-01")], [read("2026-11-20")])).toEqual([]);
  });

  it("is its listing, with an end that is to come, and its end in the list", () => {
    const fields = (before: SourceRow[], after: SourceRow[]) =>
      compare(before, after).map(({ field, after: now, significance }) => [field, now, significance]);
    expect(fields([], [row({ retired: "2027-01-01" })])).toEqual([
      ["retired", "2027-01-01", 4],
      ["listed", true, 2],
    ]);
    expect(fields([], [row({ retired: "2024-01-01" })])).toEqual([["listed", true, 2]]);
    expect(fields([row()], [])).toEqual([["listed", null, 3]]);
  });

  it("counts for the model of the catalogue that has its id as an alias, and not for one that is not listed", () => {
    const priced = (provider: string, id: string, input: number): SourceRow => ({
      ...{ provider, id, status: "unknown" },
      price: [input, 1, null, null],
    });
    const [change] = compare(
      [priced("openai", "gpt-5-mini-2025-08-07", 1)],
      [priced("openai", "gpt-5-mini-2025-08-07", 2)],
    );
    expect(change).toMatchObject({ provider: "openai", model: "gpt-5-mini", field: "price" });
    expect(change?.names).toEqual(expect.arrayContaining(["openai/gpt-5-mini", "gpt-5-mini-2025-08-07"]));
    expect(compare([priced("vertex", "some-model", 1)], [priced("vertex", "some-model", 2)])).toEqual([]);
  });

  it("is found by any spelling of the model that the catalogue knows", () => {
    const spellings = ["gpt-5-mini", "OpenAI:GPT-5-mini", "ft:gpt-5-mini-2025-08-07:acme::1", "House", "house"];
    expect(resolveNames(catalogue, spellings)).toEqual(["openai/gpt-5-mini", "house"]);
  });
});

describe("the summary of changes", () => {
  it("has the most significant change of each model, and counts those for which there is no room", () => {
    const rows = (end: string) => Array.from({ length: 40 }, (_, at) => row({ id: `model-${at}`, retired: end }));
    const summary = summarizeChanges(compare(rows("2027-02-01"), rows("2027-01-01")));
    expect(summary.length).toBeLessThanOrEqual(500);
    const [, shown = "", more] =
      /^((?:acme\/model-\d+ ends on 2027-01-01 instead of 2027-02-01\. )+)And (\d+) more models changed\.$/.exec(
        summary,
      ) ?? [];
    expect(shown.split(". ").length - 1 + Number(more)).toBe(40);
    expect(summarizeChanges(compare([row()], [row({ retired: "2027-01-01", status: "deprecated" })]))).toBe(
      "acme/m ends on 2027-01-01.",
    );
  });
});

it("a version that is not known is no change of the model without a version", () => {
  const listed = row({ provider: "openai", id: "gpt-4-2029-01-01", retired: "2030-01-01" });
  expect(compare([], [listed]).map(({ model }) => model)).toEqual(["gpt-4-2029-01-01", "gpt-4-2029-01-01"]);
});

it("a model is found by its provider and id before any other spelling", () => {
  const given = ["groq/openai/gpt-oss-120b", "groq/qwen/qwen3-32b"];
  expect(resolveNames(catalogue, given)).toEqual(given);
});
