import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeFiltersSchema, type readFilters } from "#lib/tracking/change-filters/index";
import { analyseAll } from "#tests/support/analyse-all";
import { datedModel, pricedModels, startModelSources } from "#tests/support/model-sources";
import { databaseOfTest } from "#tests/support/shared-database";
import { hourMs } from "#tests/support/tracker";
import { addCaller, addDigest, addWebhook, mailedChanges } from "#tests/support/webhook-receivers";

const database = databaseOfTest();
let models: Awaited<ReturnType<typeof startModelSources>>;
beforeEach(async () => {
  models = await startModelSources(database.client);
  await publish({});
});
afterEach(() => models.close());

const context = () => ({ database: database.client, clock: models.clock });

/** Publishes the models a, b and c with other fields, fetches both catalogues and writes the reports. */
async function publish(given: Record<string, Record<string, unknown>>) {
  models.publishDates(["a", "b", "c"].map((id) => datedModel(id, { aliases: [`${id}-1`], ...given[id] })));
  models.publishPrices(pricedModels({ a: 1, b: 2, c: 3 }));
  models.pass(hourMs);
  await models.refresh();
  await analyseAll(context());
  models.pass(hourMs);
}

type Filters = Parameters<typeof readFilters>[1];
const register = (caller: Awaited<ReturnType<typeof addCaller>>, filters: Filters) =>
  addWebhook(database.client, caller, "https://receiver.example/hook", models.clock, filters);
const subscribe = (caller: Awaited<ReturnType<typeof addCaller>>, filters: Filters) =>
  addDigest(database.client, caller, filters, models.clock.now());

const end = "2026-12-11";

describe("a filter by models", () => {
  it("keeps the known ones by their id in the catalogue, and the others as they are, up to 200", async () => {
    const caller = await addCaller(database.client, "pro", models.clock);
    const { filters } = await register(caller, { models: ["models/A-1", "openai:a", "b", "House-Model"] });
    expect(filters).toEqual({ models: ["openai/a", "openai/b", "house-model"] });
    const schema = changeFiltersSchema({ id: "Filters", minSignificance: "" });
    const accepts = (count: number) => schema.safeParse({ models: Array.from({ length: count }, () => "a") }).success;
    expect([0, 1, 200, 201].map(accepts)).toEqual([false, true, true, false]);
  });

  it("lets webhooks hear of these models alone, from a significance of 4 of their own on", async () => {
    const caller = await addCaller(database.client, "pro", models.clock);
    const wanted: Record<string, Filters> = {
      named: { models: ["a-1"] },
      insignificant: { models: ["b"] },
      unchanged: { models: ["c"] },
      stricter: { models: ["a"], min_significance: 5 },
      all: {},
    };
    const names: Record<string, string> = {};
    for (const [name, filters] of Object.entries(wanted)) names[(await register(caller, filters)).id] = name;
    await publish({ a: { shutdown_on: end }, b: { name: "Another name" } });
    const deliveries = await database.client.webhookDelivery.findMany({ include: { event: true } });
    expect(deliveries.map(({ webhookId }) => names[webhookId]).sort()).toEqual(["all", "named"]);
    const { data } = JSON.parse(deliveries[0]?.event.body ?? "");
    expect(data.report).toMatchObject({ significance: 4, categories: ["deprecation", "api-change"] });
    expect(data.models.map(({ id, field, after }: Record<string, unknown>) => [id, field, after])).toEqual([
      ["a", "retired", end],
      ["a", "status", "deprecated"],
      ["b", "name", "Another name"],
    ]);
  });

  it("lets digests of every tier hear of these models alone", async () => {
    const free = await addCaller(database.client, "free", models.clock);
    const digests = {
      named: await subscribe(free, { models: ["a"] }),
      minor: await subscribe(free, { models: ["b"] }),
      unchanged: await subscribe(free, { models: ["c"] }),
      stricter: await subscribe(free, { models: ["b"], min_significance: 2 }),
    };
    await publish({ a: { shutdown_on: end }, b: { name: "Another name" } });
    const items = await database.client.digestItem.findMany();
    expect(new Set(items.map(({ digestId }) => digestId))).toEqual(new Set([digests.named, digests.minor]));
    expect(await mailedChanges(database.client, digests.named, models.clock.now())).toMatchObject([
      { significance: 4, summary: `openai/a ends on ${end}.` },
    ]);
  });

  it("finds a model that a catalogue did not list when it was named", async () => {
    const caller = await addCaller(database.client, "pro", models.clock);
    const { filters } = await register(caller, { models: ["later-model"] });
    expect(filters).toEqual({ models: ["later-model"] });
    for (const given of [{}, { shutdown_on: end }]) {
      models.publishDates([...["a", "b", "c"].map((id) => datedModel(id)), datedModel("later-model", given)]);
      models.pass(hourMs);
      await models.refresh();
    }
    await analyseAll(context());
    expect(await database.client.webhookDelivery.count()).toBe(1);
  });
});
