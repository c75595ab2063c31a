import { describe, expect, it } from "vitest";
import {
  currentModels,
  findNamed,
  getModel,
  listModels,
  type Model,
  modelPath,
  modelTools,
  nextEnds,
  providersOf,
} from "#lib/models/index";

const context = { clock: { now: () => new Date("2026-11-25T12:00:00Z") } } as Parameters<typeof listModels>[0];
const runTool = (name: string, given: object, among: object = context) => {
  const run = modelTools.find((each) => each.name === name)?.run as (
    context: object,
    given: object,
  ) => Promise<unknown>;
  return run(among, given);
};
const keys = async (query: Parameters<typeof listModels>[1]["query"]) =>
  (await listModels(context, { query })).models.map(({ provider, id }) => `${provider}/${id}`);

describe("the list of models", () => {
  it("has the models that match every filter", async () => {
    expect(await keys({ q: "GPT-5 mini" })).toContain("openai/gpt-5-mini");
    expect(await keys({ q: "gpt-5", provider: "anthropic" })).toEqual([]);
    expect(await keys({ q: "claude-sonnet-4@20250514" })).toEqual(["anthropic/claude-sonnet-4-20250514"]);
    const ended = await listModels(context, { query: { provider: "google", status: "retired" } });
    expect(new Set(ended.models.map(({ provider, status }) => `${provider} ${status}`))).toEqual(
      new Set(["google retired"]),
    );
    expect([ended.count, ended.count > 0]).toEqual([ended.models.length, true]);
    expect(providersOf((await currentModels(context)).models)).toContain("openai");
  });

  it("has the model first whose id or alias is asked for, and similar ones if none matches", async () => {
    for (const [q, first] of [
      ["gpt-5", "openai/gpt-5"],
      ["OPENAI/o3", "openai/o3"],
    ] as const)
      expect([q, (await keys({ q }))[0]]).toEqual([q, first]);
    const missed = await listModels(context, { query: { q: "gpt-5-minni", provider: "openai" } });
    expect([missed.count, missed.similar?.[0]]).toEqual([0, "openai/gpt-5-mini"]);
    expect(await listModels(context, { query: { q: "house model of ours" } })).not.toHaveProperty("similar");
    const unknown = listModels(context, { query: { provider: "opnai" } });
    await expect(unknown).rejects.toThrow("No model of a provider opnai is known. Nearest: openai.");
    expect(await keys({ provider: "OpenAI", q: "gpt-5-mini" })).toContain("openai/gpt-5-mini");
    expect(await listModels(context, { query: { q: "gpt-5" } })).not.toHaveProperty("similar");
    const { near } = findNamed(await currentModels(context), "openai/nope-9");
    expect(near).toEqual([]);
  });

  it("has the models that end by a day in the order of their ends, then those that may, and ended ones only if asked for", async () => {
    const list = async (query: Parameters<typeof listModels>[1]["query"]) =>
      (await listModels(context, { query })).models;
    const ends = async (query: Parameters<typeof listModels>[1]["query"]) =>
      (await list(query)).flatMap(({ retired }) => retired ?? []);
    const all = await list({ ends_by: "2026-12-11" });
    const open = all.slice(all.findIndex(({ retired }) => retired === null));
    const days = open.map(({ retired, retired_not_before: first }) => [retired, first]);
    expect(days).toEqual(days.map(([, first]) => [null, first]).sort());
    expect(open.map(({ id, may_end: mayEnd }) => `${id} ${mayEnd}`)).toContain("gemini-2.5-flash true");
    expect(open.filter((model) => model.may_end !== (model.retired_not_before ?? "") <= "2026-11-25")).toEqual([]);
    expect((await list({ ends_by: "2026-10-15" })).map(({ id }) => id)).not.toContain("gemini-2.5-flash");
    const soon = await ends({ ends_by: "2026-12-11" });
    expect([soon, soon.at(-1)]).toEqual([[...soon].sort(), "2026-12-11"]);
    expect(soon.filter((day) => day <= "2026-11-25")).toEqual([]);
    const ended = await ends({ ends_by: "2025-12-31", status: "retired", provider: "google" });
    expect([ended.length > 0, ended, ended.filter((day) => day > "2025-12-31")]).toEqual([true, [...ended].sort(), []]);
    expect(await ends({ ends_by: "2025-12-31" })).toEqual([]);
    const onDay = await ends({ ends: "2026-12-11" });
    expect(new Set(onDay)).toEqual(new Set(["2026-12-11"]));
    expect(await ends({ ends: "2026-12-11", ends_by: "2026-12-11" })).toEqual(onDay);
    expect(await ends({ ends: "2026-12-11", ends_by: "2026-12-10" })).toEqual([]);
  });

  it("goes on by the tool where the last page ended, whatever the case of the provider, until models end by the day", async () => {
    type Page = { models: Model[]; next_cursor: string };
    const list = (given: object, among: object = context) =>
      runTool("list_models", { provider: "openai", ends_by: "2026-12-31", limit: 2, ...given }, among) as Promise<Page>;
    const first = await list({});
    const next = await list({ provider: "OpenAI", cursor: first.next_cursor });
    expect(next.models.filter(({ id }) => first.models.some((each) => each.id === id))).toEqual([]);
    const later = { clock: { now: () => new Date("2026-12-12T00:00:00Z") } };
    await expect(list({ cursor: first.next_cursor }, later)).rejects.toThrow("cursor");
  });

  it("answers each of some names in their order, also those that are not known, and warns of old data", async () => {
    const given = ["us.anthropic.claude-sonnet-4-20250514-v1:0", "gpt-5-minni", "gpt-oss-120b", "OpenAI/gpt-5-mini"];
    const list = await listModels(context, { query: { models: `${given.join(", ")},gpt-5-mini,` } });
    expect(list.answers?.map(({ name, result, model, nearest }) => [name, result, model?.id ?? nearest?.[0]])).toEqual([
      [given[0], "found", "claude-sonnet-4-20250514"],
      [given[1], "unknown", "openai/gpt-5-mini"],
      [given[2], "several", "cerebras/gpt-oss-120b"],
      [given[3], "found", "gpt-5-mini"],
      ["gpt-5-mini", "found", "gpt-5-mini"],
    ]);
    expect(list.answers?.map(({ caveat }) => caveat?.includes("bedrock"))).toEqual([true, ...Array(4).fill(undefined)]);
    expect(list.models.map(({ id }) => id)).toEqual(["claude-sonnet-4-20250514", "gpt-5-mini"]);
    expect([
      list.age_warning,
      (await listModels({ clock: { ...context.clock, now: () => new Date("2026-09-01") } }, { query: {} })).age_warning,
    ]).toEqual([expect.stringContaining("96 days ago"), undefined]);
    const onVertex = async (query: object) =>
      (await listModels(context, { query: { q: "claude-sonnet-4@20250514", ...query } })).caveat;
    expect([await onVertex({}), await onVertex({ status: "active" })]).toEqual([
      expect.stringContaining("vertex"),
      undefined,
    ]);
    expect((await listModels(context, { query: { models: "" } })).answers).toEqual([]);
  });

  it("answers names by the tool page by page, without other filters", async () => {
    type Page = { answers: { name: string }[]; models?: unknown; next_cursor: string };
    const models = Array.from({ length: 100 }, (_, index) => `name-${index}`);
    const first = (await runTool("list_models", { models, limit: 20 })) as Page;
    const next = (await runTool("list_models", { models, limit: 20, cursor: first.next_cursor })) as Page;
    expect([...first.answers, ...next.answers].map(({ name }) => name)).toEqual(models.slice(0, 40));
    expect(first).not.toHaveProperty("models");
    await expect(runTool("list_models", { models, limit: 20, status: "retired" })).rejects.toThrow(
      "without other filters",
    );
  });

  it("has ends in their order, from tomorrow on", async () => {
    const ends = nextEnds(await currentModels(context), context.clock.now());
    const days = ends.map(({ day }) => day);
    expect(days).toEqual([...days].sort());
    expect(days.filter((day) => day <= "2026-11-25")).toEqual([]);
    expect(ends.find(({ day }) => day === "2026-12-11")?.models.map(({ id }) => id)).toEqual([
      "gpt-5",
      "gpt-5-mini",
      "gpt-5-nano",
      "gpt-5-pro",
      "o3",
      "o3-pro",
    ]);
  });
});

describe("a model", () => {
  it("is found by id and alias at its provider alone", async () => {
    const find = async (provider: string, id: string) => (await getModel(context, { params: { provider, id } })).id;
    expect(await find("groq", "openai/gpt-oss-120b")).toBe("openai/gpt-oss-120b");
    expect(await find("openai", "gpt-5-mini-2025-08-07")).toBe("gpt-5-mini");
    for (const [provider, id] of [
      ["openai", "GPT-OSS-120B"],
      ["OpenAI", "gpt-oss-120b"],
      ["openai", "openai/gpt-oss-120b"],
    ] as const)
      expect([provider, id, await find(provider, id)]).toEqual([provider, id, "gpt-oss-120b"]);
    await expect(find("anthropic", "gpt-5-mini")).rejects.toThrow("anthropic has no model gpt-5-mini");
    await expect(find("openai", "gpt-5.6-terra-2027-01-01")).rejects.toThrow("has no model");
  });

  it("is got by the tool at the provider that its name has, in any spelling, unless several are meant", async () => {
    const get = async (given: object) => {
      const { provider, id } = ((await runTool("get_model", given)) as { model: Model }).model;
      return `${provider}/${id}`;
    };
    for (const [given, key] of [
      ["openai/GPT-OSS-120B", "openai/gpt-oss-120b"],
      ["OpenAI/gpt-oss-120b", "openai/gpt-oss-120b"],
      ["Groq/openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"],
      ["openrouter/openai/gpt-5-mini", "openai/gpt-5-mini"],
      ["openrouter/gpt-5-mini", "openai/gpt-5-mini"],
      ["openai/gpt-oss-safeguard-20b", "groq/openai/gpt-oss-safeguard-20b"],
      ["bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0", "anthropic/claude-sonnet-4-20250514"],
      ["bedrock/anthropic.claude-opus-4-8", "anthropic/claude-opus-4-8"],
      ["vertex/claude-sonnet-4@20250514", "anthropic/claude-sonnet-4-20250514"],
      ["vertex_ai/claude-sonnet-4@20250514", "anthropic/claude-sonnet-4-20250514"],
      ["perplexity/openai/gpt-5", "openai/gpt-5"],
    ] as const)
      expect([given, await get({ id: given })]).toEqual([given, key]);
    const answer = await runTool("get_model", { id: "bedrock/anthropic.claude-opus-4-8" });
    expect(answer).toMatchObject({ caveat: expect.stringContaining("bedrock"), age_warning: expect.any(String) });
    expect(await get({ provider: "OpenAI", id: "GPT-OSS-120B" })).toBe("openai/gpt-oss-120b");
    for (const name of ["gpt-oss-120b", "acme/gpt-oss-120b"])
      await expect(get({ id: name })).rejects.toThrow(
        `Several models are known as ${name}: pass its provider. cerebras/gpt-oss-120b, openai/gpt-oss-120b.`,
      );
    await expect(get({ id: "anthropic/gpt-5-mini@latest" })).rejects.toThrow("No model is known");
    await expect(get({ id: "anthropic/gpt-5-mini" })).rejects.toThrow(
      "No model is known as anthropic/gpt-5-mini. It may still end. Nearest: openai/gpt-5-mini, ",
    );
    await expect(get({ id: "openai/gpt-5.6-terra-2027-01-01" })).rejects.toThrow("No model is known as openai/gpt-5.6");
  });

  it.each([
    ["openai/gpt-5-mini", "openai/gpt-5-mini"],
    ["groq/openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"],
    ["gpt-5-mini", "openai/gpt-5-mini"],
    ["anthropic/claude-3-5-haiku-latest", "anthropic/claude-3-5-haiku-20241022"],
    ["gpt-5-mini-2025-08-07", "openai/gpt-5-mini"],
    // Nothing is known of this version; its model is.
    ["gpt-5.6-terra-2027-01-01", "openai/gpt-5.6-terra"],
  ])("is meant by %s", async (name, key) => {
    const { named, near } = findNamed(await currentModels(context), name);
    expect([named.map(({ provider, id }) => `${provider}/${id}`), near]).toEqual([[key], []]);
  });

  it.each([
    ["gpt-5-minni", 0, "openai/gpt-5-mini"],
    ["anthropic/gpt-5-mini", 0, "openai/gpt-5-mini"],
    ["azure/gpt-5-mini", 0, "openai/gpt-5-mini"],
    ["nothing-like-it", 0, undefined],
    ["", 0, undefined],
  ])("is not meant by %j, and the nearest are named", async (name, count, nearest) => {
    const { named, near } = findNamed(await currentModels(context), name);
    const [first] = near.map(({ provider, id }) => `${provider}/${id}`);
    expect([named.length, first]).toEqual([count, nearest]);
    expect(near.length).toBeLessThanOrEqual(5);
  });

  it("has a path with its slashes, and other characters escaped", () => {
    expect(modelPath({ provider: "groq", id: "openai/a b" })).toBe("/models/groq/openai/a%20b");
  });
});
