import { expect, it } from "vitest";
import { costOf, moneyText } from "#lib/cli/run-report/costs";
import { junitText } from "#lib/cli/run-report/junit";
import { describeModels, missAnnotations, summaryMarkdown } from "#lib/cli/run-report/run-summary";
import { summarizeModels } from "#lib/cli/run-report/summarize-models";
import { bundledModels, type Model, ModelCatalogue } from "#lib/models/index";
import { countMissed, countUnanswered, describeReports, type ModelUse } from "#lib/replay/recording-proxy/index";
import { addReports, emptyReport } from "#lib/replay/recording-proxy/report";

const now = new Date("2026-11-25T12:00:00Z");
const base = bundledModels(now).models[0] as Model;
const price = { input: 2, output: 10, cache_read: 0.2, cache_write: null };
const model = (id: string, change: Partial<Model>): Model => ({
  ...base,
  provider: "acme",
  id,
  aliases: [],
  successors: [],
  ...change,
});
const catalogue = new ModelCatalogue(
  [
    model("one", { status: "active", retired: null, retired_not_before: null, price }),
    model("old", {
      status: "deprecated",
      retired: "2026-12-11",
      successors: ["one", "free"].map((id) => ({ provider: "acme", id })),
      price,
    }),
    model("open", { status: "active", retired: null, retired_not_before: "2026-10-15", price }),
    model("free", { status: "active", retired: null, retired_not_before: null, price: null }),
  ],
  "2026-11-25",
  "2026-11-25",
);

const use = (name: string, change: Partial<ModelUse> = {}): ModelUse => ({
  ...{ isPlayed: true, model: name, answered: null, gone: 0, host: "", calls: 1, unmetered: 0 },
  ...{ input: 1_000, output: 100, cache_read: 0, cache_write: 0 },
  ...change,
});
const report = (test: string, ...models: ModelUse[]) => ({ ...emptyReport(test, `tapes/${test}`), models });
const summarize = (...uses: ModelUse[]) => summarizeModels([report("a", ...uses)], catalogue, now);

it("a cost is that of all tokens at their prices, and not known without a price", () => {
  const tokens = { input: 1_000_000, output: 100_000, cache_read: 1_000_000, cache_write: 1_000_000 };
  // Writing to a cache counts as input, since its price is not known.
  expect(costOf(tokens, catalogue.get("acme", "one"))).toBeCloseTo(2 + 1 + 0.2 + 2, 10);
  expect(costOf(tokens, catalogue.get("acme", "free"))).toBeNull();
  expect(costOf(tokens, undefined)).toBeNull();
  expect([0, 12.344, 0.5, 0.0031, 0.00009, 1e-12].map(moneyText)).toEqual([
    "$0",
    "$12.34",
    "$0.50",
    "$0.0031",
    "$0.000090",
    "under $0.00000001",
  ]);
});

it("the terminal says what was not spent, what was, and when the models end, the first to end first", () => {
  const uses = [use("one", { calls: 2 }), use("old", { cache_read: 50 }), use("one", { isPlayed: false, input: 10 })];
  expect(describeModels(summarize(...uses))).toEqual([
    "  not spent: 2,050 tokens in (50 of them cached), 200 out; $0.0060",
    "  spent: 10 tokens in, 100 out; $0.0010",
    "  models: acme old ends 2026-12-11 (16 days) → one; acme one active",
  ]);
  expect(describeModels(summarize())).toEqual([]);
});

it("a model whose earliest date has passed without an end comes before those that are active, with its date in runs that record it", () => {
  expect(describeModels(summarize(use("one"), use("open", { isPlayed: false }))).at(-1)).toBe(
    "  models: acme open may end at any time: the earliest date, 2026-10-15, has passed; acme one active",
  );
  expect(describeModels(summarize(use("one"), use("open"))).at(-1)).toBe(
    "  models: acme open may end; acme one active",
  );
});

it("a name that no catalogue knows is explained by the answer, and a model that its provider does not have comes first", () => {
  const uses = [use("prod-chat", { answered: "old" }), use("open", { gone: 1 }), use("prod-chat")];
  const summary = summarize(...uses);
  expect(describeModels(summary).at(-1)).toBe(
    "  models: acme open not found by its provider (404); acme old (prod-chat) ends 2026-12-11 (16 days) → one",
  );
  expect(summary.models.map(({ played }) => played.calls)).toEqual([1, 2]);
});

it("prices and usage that are not known are said to be, and never count as 0", () => {
  expect(describeModels(summarize(use("house-model", { calls: 3 })))).toEqual([
    "  not spent: 1,000 tokens in, 100 out; price not known of house-model (3 calls)",
    "  models: house-model not known",
  ]);
  const unmetered = use("one", { unmetered: 1, input: 0, output: 0 });
  expect(describeModels(summarize(unmetered))[0]).toBe("  not spent: 1 call without recorded usage");
});

it("the summary of a job has a table of all models", () => {
  const text = summaryMarkdown("tapedeck: 1 played", summarize(use("old"), use("a|b")), ["  a miss of ```x```"]);
  expect(text).toContain("- Spent: nothing\n");
  expect(text).toContain(
    "| acme old | ends 2026-12-11 (16 days) → one | 1 | 1,000 tokens in, 100 out; $0.0030 | 0 | nothing |",
  );
  expect(text).toContain("| a\\|b | not known |");
  expect(text).toContain("\n````text\n  a miss of ```x```\n````\n");
});

it("JUnit has a test case with properties for each tape, and fails those with a miss", () => {
  const nearest = { file: "001.cassette.json", differences: [{ pointer: "/seed", before: 1, after: 2 }] };
  const miss = { test: "b.test.ts > x", request: "POST /v1", reason: 'No <recording> & "none"', nearest };
  const failed = { ...report("b.test.ts > x", use("house-model")), misses: [miss], played: 1 };
  const text = junitText([report("a.test.ts > y > z", use("one")), failed], { catalogue, now });
  expect(text).toContain(
    '<testsuite name="tapedeck" tests="2" failures="1" skipped="0" timestamp="2026-11-25T12:00:00">',
  );
  expect(text).toContain('<testcase classname="a.test.ts" name="y &gt; z">');
  expect(text).toContain('<property name="tapedeck.not_spent.usd" value="0.003"/>');
  expect(text).toContain('<property name="tapedeck.not_spent.unpriced_calls" value="1"/>');
  expect(text).toContain('<property name="tapedeck.model" value="house-model: not known"/>');
  expect(text).toContain("No &lt;recording&gt; &amp; &quot;none&quot;");
  expect(text.match(/<failure /g)).toHaveLength(1);
  expect(text).toContain("/seed was 1 and is now 2");
});

it("JUnit skips tests whose tapes a run did not open, and fails those that left recordings if they were to use all", () => {
  const unused = ["001.cassette.json"];
  const [other, mine] = [
    { ...report("a.test.ts > x"), unused },
    { ...report("b.test.ts > y"), requests: 1, unused },
  ];
  const xml = (isComplete: boolean) =>
    junitText([mine, other], { catalogue, now, unopened: new Set([other]), isComplete });
  expect(xml(true)).toContain('tests="2" failures="1" skipped="1"');
  expect(xml(true)).toMatch(
    /name="y">.*<failure .*Nothing asked for 001\.cassette\.json\.<[\s\S]*name="x">.*<skipped /,
  );
  expect(xml(false)).toContain('tests="2" failures="0" skipped="1"');
});

it("misses annotate the files of their tests", () => {
  const miss = {
    test: "b.test.ts > x",
    request: "POST /v1",
    reason: "The tape is empty",
    nearest: null,
    record: "npx tapedeck run",
  };
  const all = Array.from({ length: 12 }, (_, index) => ({ ...report(`t${index}.test.ts > x`), misses: [miss] }));
  const lines = missAnnotations([report("a.test.ts > x"), ...all]);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatch(/^::error file=t0\.test\.ts,title=Tapedeck::Tapedeck has no recording .*%0A/);
  const [escaped = ""] = missAnnotations([{ ...report("\u001b[31ma.test.ts\n::add-mask::x"), misses: [miss] }]);
  expect(escaped).not.toMatch(/\p{Cc}/u);
});

it("calls of one model in retries of a test are one", () => {
  const sum = addReports(report("a", use("one")), report("a", use("one"), use("one", { isPlayed: false })));
  expect(sum.models).toEqual([use("one", { calls: 2, input: 2_000, output: 200 }), use("one", { isPlayed: false })]);
});

it("an answer that could not be written is missed in all reports, although the model answered", () => {
  const reports = [{ ...report("a"), requests: 1, unwritten: 1, notes: ["The answer was not stored."] }];
  expect(describeReports(reports)[0]).toBe("tapedeck: 0 played, 0 recorded, 1 missed, 0 unused");
  const xml = junitText(reports, { catalogue, now });
  expect(xml.match(/<property name="tapedeck\.missed" value="1"\/>/g)).toHaveLength(2);
  expect(xml).toContain(
    'message="Requests that were not answered or not recorded, or recordings that were not used">The answer was not stored.<',
  );
  expect([countMissed(reports), countUnanswered(reports)]).toEqual([1, 0]);
});
