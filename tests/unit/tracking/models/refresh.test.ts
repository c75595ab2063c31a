import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { currentModels, getModel, listModels } from "#lib/models/index";
import { changesQuerySchema, getChangeList } from "#lib/tracking/feed/index";
import { changeListSchema } from "#lib/tracking/feed/schemas";
import { analyseAll } from "#tests/support/analyse-all";
import { isExtended } from "#tests/support/extended";
import { datedModel, pricedModels, startModelSources } from "#tests/support/model-sources";
import { databaseOfTest } from "#tests/support/shared-database";
import { untimed } from "#tests/support/timers";
import { hourMs } from "#tests/support/tracker";
import { status } from "#tests/support/vendor-answers";

const database = databaseOfTest();
let models: Awaited<ReturnType<typeof startModelSources>>;
beforeEach(async () => {
  models = await startModelSources(database.client);
});
afterEach(() => models.close());

const log = pino({ level: "silent" });
const context = () => ({ database: database.client, clock: models.clock, startTimer: untimed, log });
const end = "2026-12-11";
const three = [datedModel("a", { aliases: ["a-latest"] }), datedModel("b"), datedModel("c")];

/** Fetches both sources, an hour later, and writes the reports. */
async function refresh() {
  models.pass(hourMs);
  const summary = await models.refresh();
  await analyseAll(context());
  models.pass(hourMs);
  return summary;
}
const listOf = async (query: { models?: string; min_significance?: string }) => {
  const parsed = changesQuerySchema.parse(query);
  const list = await getChangeList({ ...context(), origin: "http://tapes.example" }, { query: parsed });
  return changeListSchema.parse(list);
};
const changesOf = async (query: Parameters<typeof listOf>[0] = {}) => (await listOf(query)).changes;

async function start() {
  models.publishDates(three);
  models.publishPrices(pricedModels({ "a-latest": 1, d: 2 }));
  return refresh();
}

describe("the catalogue of models", () => {
  it("is the bundled one until both sources were fetched, then theirs with the day of the fetch", async () => {
    const bundled = await listModels(context(), { query: {} });
    expect([bundled.models.length > 400, bundled.read < "2026-09-01"]).toEqual([true, true]);
    models.publishDates(three);
    await refresh();
    expect((await listModels(context(), { query: {} })).count).toBe(bundled.count);
    models.publishPrices(pricedModels({ "a-latest": 1, d: 2 }));
    await refresh();
    const { models: found, read } = await listModels(context(), { query: {} });
    expect(read).toBe("2026-09-01");
    expect(found.map(({ id, status, price }) => [id, status, price?.input])).toEqual([
      ["a", "active", 1],
      ["b", "active", undefined],
      ["c", "active", undefined],
      ["d", "unknown", 2],
    ]);
    const origin = (index: number) => models.sources.vendors[index]?.origin;
    expect(found[0]?.sources).toEqual([
      { url: "https://example.com/deprecations", read: "2026-08-03" },
      { url: origin(0), read: "2026-09-01" },
      { url: origin(1), read: "2026-09-01" },
    ]);
    expect(await changesOf()).toEqual([]);
  });

  it("keeps the history of each field, which is a change with a report like a vendor's", async () => {
    await start();
    models.publishDates([datedModel("a", { aliases: ["a-latest"], shutdown_on: "2027-01-15" }), ...three.slice(1)]);
    await refresh();
    models.publishDates([datedModel("a", { aliases: ["a-latest"], shutdown_on: end }), ...three.slice(1)]);
    models.publishPrices(pricedModels({ "a-latest": 3, d: 2 }));
    await refresh();
    const model = await getModel(context(), { params: { provider: "openai", id: "a-latest" } });
    expect([model.retired, model.price?.input]).toEqual([end, 3]);
    const { history } = model;
    expect(history.map(({ field, before, after, significance }) => [field, before, after, significance])).toEqual(
      expect.arrayContaining([
        ["retired", null, "2027-01-15", 4],
        ["status", "active", "deprecated", 3],
        ["retired", "2027-01-15", end, 5],
        ["price", expect.objectContaining({ input: 1 }), expect.objectContaining({ input: 3 }), 4],
      ]),
    );
    expect(history).toHaveLength(4);
    const changes = await changesOf({ models: "a" });
    expect(changes.map(({ significance, summary, categories }) => [significance, summary, categories])).toEqual(
      expect.arrayContaining([
        [5, `openai/a ends on ${end} instead of 2027-01-15.`, ["deprecation"]],
        [4, "openai/a costs $3 in and $12 out per million tokens instead of $1 in and $4 out.", ["pricing-change"]],
        [4, "openai/a ends on 2027-01-15.", ["deprecation"]],
      ]),
    );
    expect(await changesOf()).toHaveLength(3);
  });

  it("has changes that are found by models and by their own significance", async () => {
    await start();
    models.publishDates([datedModel("a", { shutdown_on: end }), datedModel("b", { name: "B" }), datedModel("c")]);
    await refresh();
    const found = async (query: { models: string; min_significance?: string }) =>
      (await changesOf(query)).map(({ significance, summary }) => [significance, summary]);
    expect(await found({ models: "openai/b" })).toEqual([[1, "openai/b has a new name."]]);
    expect(await found({ models: "b,models/openai/A", min_significance: "4" })).toEqual([
      [4, `openai/a ends on ${end}.`],
    ]);
    for (const query of [{ models: "b", min_significance: "4" }, { models: "c" }, { models: "house-model" }])
      expect(await found(query)).toEqual([]);
  });

  it("names the models of a list of changes that are neither known nor among the changes", async () => {
    await start();
    models.publishDates([...three.slice(0, 2), datedModel("e"), datedModel("f")]);
    await refresh();
    const unknownOf = async (names: string) => (await listOf({ models: names }))._meta.unknown_models;
    expect(await unknownOf("a,openai/B,e")).toBeUndefined();
    const { _meta, changes } = await listOf({ models: "House-Model,a,openai/C,e" });
    expect([_meta.unknown_models, changes.length]).toEqual([["House-Model"], 1]);
    // Something is known of a model that was removed, whatever its spelling, the page and the other filters.
    models.publishDates([datedModel("b"), datedModel("e"), datedModel("f")]);
    await refresh();
    expect(await unknownOf("A-latest,openai/a-latest,c")).toBeUndefined();
    expect((await listOf({ models: "c", min_significance: "5" }))._meta.unknown_models).toBeUndefined();
    expect(await unknownOf("d-mini, gemini")).toEqual(["d-mini", "gemini"]);
  });

  const failures: [what: string, failure: string, text: string][] = [
    ["has another shape", "unreadable", JSON.stringify({ data: [] })],
    ["has a wrong date", "unreadable", JSON.stringify({ models: [datedModel("a", { shutdown_on: "soon" })] })],
    ["has an id with NUL", "unreadable", JSON.stringify({ models: [...three, datedModel("d\0")] })],
    ["has half a character", "unreadable", JSON.stringify({ models: [...three, datedModel("d", { name: "\ud800" })] })],
    ["is no JSON", "unreadable", "models: []"],
    ["has no models", "unreadable", JSON.stringify({ models: [] })],
    ["has lost a third of its models", "shrunk", JSON.stringify({ models: three.slice(1) })],
  ];
  it.each(isExtended ? failures : [failures[0], failures[2], failures[6]].filter((each) => each !== undefined))(
    "does not change when a source %s: the fetch has failed, and its record says why",
    async (_what, failure, text) => {
      await start();
      const before = await currentModels(context());
      models.publish(models.dates, text);
      expect(await refresh()).toMatchObject({ fetched: 2, changed: 0, failed: 1 });
      expect((await currentModels(context())).models).toEqual(before.models);
      const vendor = await models.vendor(models.dates);
      expect(vendor.fetches.at(-1)).toMatchObject({
        outcome: "failed",
        failure,
        detail: expect.stringMatching(/^the file/),
      });
      expect([vendor.failureCount, vendor.snapshots.length]).toEqual([1, 1]);
      models.publishDates([...three.slice(0, 2), datedModel("c", { name: "C" })]);
      expect(await refresh()).toMatchObject({ changed: 1, failed: 0 });
    },
  );

  it("keeps the history of a model when the versions are deleted that it came from", async () => {
    await start();
    models.publishDates([datedModel("a", { aliases: ["a-latest"], shutdown_on: end }), ...three.slice(1)]);
    await refresh();
    await database.client.snapshot.deleteMany({ where: { diffsToNext: { some: {} } } });
    const { history } = await getModel(context(), { params: { provider: "openai", id: "a" } });
    expect(history.map(({ field, diff_id }) => [field, diff_id])).toEqual([
      ["status", null],
      ["retired", null],
    ]);
  });

  it("stays as it was read while the database does not answer", async () => {
    await start();
    const before = await currentModels(context());
    models.sources.setAnswer(models.dates, status(503));
    await refresh();
    expect((await currentModels(context())).models).toEqual(before.models);
  });
});
