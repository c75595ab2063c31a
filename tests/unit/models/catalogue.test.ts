import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildCatalogue, serializeCatalogue } from "#lib/models/build-catalogue";
import type { CatalogueFile } from "#lib/models/catalogue";
import { ageWarning, bundledModels, daysIfOld, ModelCatalogue, type ModelStatus } from "#lib/models/index";
import { modelSchema } from "#lib/models/schemas";

const at = (day: string) => bundledModels(new Date(`${day}T00:00:00Z`));

test("a model that will end is deprecated until the day of its end, and retired from then on", () => {
  const statuses = ["2026-12-10", "2026-12-11"].map((day) => at(day).get("openai", "gpt-5-mini")?.status);
  expect(statuses).toEqual(["deprecated", "retired"]);
});

test("a catalogue is old after 60 days", () => {
  const ages = ["2026-10-20", "2026-10-21"].map((day) =>
    daysIfOld({ read: "2026-08-21" }, new Date(`${day}T12:00:00Z`)),
  );
  expect(ages).toEqual([null, 61]);
});

test("an old catalogue is warned of", () => {
  const warnings = ["2026-10-20", "2026-10-21"].map((day) => ageWarning({ read: "2026-08-21" }, new Date(day)));
  const text =
    "The sources were read on 2026-08-21, 61 days ago: models may have been announced, or have ended, since.";
  expect(warnings).toEqual([undefined, text]);
});

test("every model has the published shape, one key and successors that are listed", () => {
  const { models } = at("2026-11-25");
  expect(models.map((model) => modelSchema.safeParse(model).error)).toEqual(models.map(() => undefined));
  expect(new Set(models.map(({ provider, id }) => `${provider}/${id}`)).size).toBe(models.length);
  const isListed = ({ provider, id }: { provider: string; id: string }) => at("2026-11-25").get(provider, id);
  expect(models.flatMap(({ successors }) => successors).filter((successor) => !isListed(successor))).toEqual([]);
  expect(models.filter(({ sources }) => sources.length === 0)).toEqual([]);
});

test("the successor is one that has not ended, and the stated ones remain", () => {
  const { models } = at("2026-11-25");
  const keyed = (list: readonly { provider: string; id: string }[]) =>
    list.map(({ provider, id }) => `${provider}/${id}`);
  const pairs = ["chatgpt-4o-latest", "o1-mini"].map((id) => {
    const { successors = [], successor } = at("2026-11-25").get("openai", id) ?? {};
    return [keyed(successors), keyed(successor ? [successor] : [])];
  });
  expect(pairs).toEqual([
    [["openai/gpt-5.1-chat-latest"], ["openai/gpt-5.6-sol"]],
    [["openai/o4-mini"], ["openai/gpt-5.6-terra"]],
  ]);
  const statuses = models.map(
    ({ successor }) => successor && at("2026-11-25").get(successor.provider, successor.id)?.status,
  );
  expect(statuses).not.toContain("retired");
  expect(models.filter(({ successor, successors }) => !successor && successors.length > 0)).toEqual([]);
  const row = { name: "a", aliases: [], price: null, limits: null, sources: [], released: null, deprecated: null };
  const model = (status: ModelStatus, id: string, ...next: string[]) => {
    const successors = next.map((each) => ({ provider: "acme", id: each }));
    return { ...row, provider: "acme", id, status, retired: null, retired_not_before: null, successors };
  };
  const successorsOf = (
    ...stated: (Omit<ReturnType<typeof model>, "retired_not_before"> & { retired_not_before: string | null })[]
  ) => new ModelCatalogue(stated, "2026-11-25", "2026-11-25").models.map(({ successor }) => successor?.id);
  const circle = [model("retired", "a", "b"), model("retired", "b", "a", "c"), model("retired", "d", "a")];
  expect(successorsOf(...circle)).toEqual(["c", "c", "c"]);
  // A model that replaces its own successor has none.
  expect(successorsOf(model("deprecated", "a", "b"), model("retired", "b", "a"))).toEqual([undefined, "a"]);
  const open = { ...model("active", "open"), retired_not_before: "2026-01-01" };
  const ending = [model("deprecated", "ending", "lasting"), model("active", "lasting"), open];
  expect(successorsOf(model("retired", "a", "ending"), ...ending)[0]).toBe("lasting");
  expect(successorsOf(model("retired", "a", "open", "lasting"), ...ending)[0]).toBe("lasting");
  expect(successorsOf(model("retired", "a", "last", "open"), model("deprecated", "last"), open)[0]).toBe("open");
});

test("a model may end from its earliest day on, unless its end is set", () => {
  const mayEnd = (day: string, id: string) => at(day).models.find((model) => model.id === id)?.may_end;
  expect(["2026-10-15", "2026-10-16"].map((day) => mayEnd(day, "gemini-2.5-flash"))).toEqual([false, true]);
  expect(mayEnd("2026-12-12", "gpt-5-mini")).toBe(false);
});

test("dates and prices become one catalogue: a price alone says nothing of an end, and resellers are left out", () => {
  const source = { url: "https://example.com/dates", accessed: "2026-08-02" };
  const lifecycle = {
    models: [
      {
        provider: "z-ai",
        model: "old",
        name: "Old",
        aliases: ["old-latest"],
        status: "deprecated",
        shutdown_on: "2027-01-01",
        replacements: [
          { provider: "z-ai", model: "other", recommended: false },
          { provider: "z-ai", model: "new", recommended: true },
        ],
        sources: [source],
      },
    ],
  };
  const cost = { input: 1, output: 2, cache_read: 0.5 };
  const prices = {
    zai: { id: "zai", models: { "old-latest": { cost }, new: { name: "New", limit: { context: 8 } } } },
    openrouter: { id: "openrouter", models: { x: { cost } } },
  };
  const catalogue = buildCatalogue(lifecycle, prices, "2026-07-01");
  expect(catalogue).toEqual({
    read: "2026-08-02",
    pages: ["https://example.com/dates", "https://models.dev"],
    models: [
      { provider: "z-ai", id: "new", name: "New", status: "unknown", limits: [8, null], sources: [[1, "2026-07-01"]] },
      {
        provider: "z-ai",
        id: "old",
        name: "Old",
        aliases: ["old-latest"],
        status: "deprecated",
        retired: "2027-01-01",
        successors: ["z-ai/new", "z-ai/other"],
        price: [1, 2, 0.5, null],
        sources: [
          [0, "2026-08-02"],
          [1, "2026-07-01"],
        ],
      },
    ],
  });
  expect(JSON.parse(serializeCatalogue(catalogue))).toEqual(catalogue);
});

test("the bundled file is as the command writes it", () => {
  const text = readFileSync("content/models/catalogue.json", "utf8");
  expect(serializeCatalogue(JSON.parse(text) as CatalogueFile)).toBe(text);
});
