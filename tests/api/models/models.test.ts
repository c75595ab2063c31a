import { expect, inject, it } from "vitest";
import { modelListSchema } from "#lib/models/index";
import { changeListSchema } from "#lib/tracking/feed/schemas";
import { issueKey } from "#tests/support/keys";
import { sendRpc } from "#tests/support/mcp";

const get = (path: string) => fetch(`${inject("baseUrl")}${path}`);

it("GET /api/v1/models lists the models of its filters, to anybody", async () => {
  const response = await get("/api/v1/models?provider=google&status=retired&q=");
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  const { models, count } = modelListSchema.parse(await response.json());
  expect([count, models.some(({ id }) => id === "gemini-2.0-flash")]).toEqual([models.length, true]);
  expect(models.filter(({ provider, status }) => provider !== "google" || status !== "retired")).toEqual([]);
  for (const query of ["status=fine", "provider=opnai"])
    expect((await get(`/api/v1/models?${query}`)).status).toBe(400);
});

it("the API, the page and the tool list_models have the models that ended by a day, and say what to write", async () => {
  const list = modelListSchema.parse(
    await (await get("/api/v1/models?provider=openai&status=retired&ends_by=2026-07-23")).json(),
  );
  const ends = list.models.map(({ retired }) => retired ?? "");
  expect([ends.length > 4, ends]).toEqual([true, [...ends].sort()]);
  expect(list.models.filter(({ status }) => status !== "retired")).toEqual([]);
  for (const name of ["ends_by", "ends"]) {
    const wrong = await get(`/api/v1/models?${name}=90d`);
    const error = `Query parameter "${name}": must be a day such as 2026-12-31`;
    expect([wrong.status, (await wrong.json()).error]).toEqual([400, expect.stringContaining(error)]);
  }
  const text = await (await page("/models?provider=openai&status=retired&ends_by=2026-07-23")).text();
  expect(text.replace(/<[^>]*>/g, "")).toContain(`${ends.length} models that ended by 23 Jul 2026.`);
  expect(text).toContain(">within 90 days</option>");
  const { key } = await issueKey("starter");
  const call = async (given: object) => {
    const params = { name: "list_models", arguments: { provider: "openai", status: "retired", limit: 2, ...given } };
    const { json } = await sendRpc("/api/mcp", { id: 1, method: "tools/call", params }, { key });
    return {
      isError: json.result.isError,
      text: JSON.stringify(json),
      list: json.result.structuredContent as { models: object[]; next_cursor: string },
    };
  };
  const { list: first } = await call({ ends_by: "2026-07-23" });
  expect(first.models).toEqual(list.models.slice(0, first.models.length));
  const { list: next } = await call({ ends_by: "2026-07-23", cursor: first.next_cursor });
  expect(next.models[0]).toEqual(list.models[first.models.length]);
  expect((await call({ ends_by: "2026-07-22", cursor: first.next_cursor })).isError).toBe(true);
  expect((await call({ ends_by: "90d" })).text).toContain("must be a day such as 2026-12-31");
});

it("the model whose id is asked for comes first, and similar ones are named if there is none", async () => {
  const found = modelListSchema.parse(await (await get("/api/v1/models?q=gpt-5")).json());
  expect([found.models[0]?.id, found.similar]).toEqual(["gpt-5", undefined]);
  const { models } = modelListSchema.parse(await (await get("/api/v1/models")).json());
  const [provider, id] = models.flatMap(({ price, ...model }) => (price ? [] : [model.provider, model.id]));
  expect(await (await page(`/models/${provider}/${id}`)).text()).not.toContain("per million tokens");
  const missed = modelListSchema.parse(await (await get("/api/v1/models?q=gpt-5-minni")).json());
  expect([missed.count, missed.similar?.[0]]).toEqual([0, "openai/gpt-5-mini"]);
  const [head = "", list = ""] = (await (await page("/models?q=gpt-4o")).text()).split("<tbody");
  expect(head).toContain(">In / out, $ per million</th>");
  const [, unpriced] = (await (await page(`/models?provider=${provider}&q=${id}`)).text()).split("<tbody");
  expect(unpriced).toContain(">not known</td>");
  expect(/href="(\/models\/[^"]+)"/.exec(list)?.[1]).toBe("/models/openai/gpt-4o");
  expect(await (await page("/models?q=gpt-5-minni")).text()).toContain('href="/models/openai/gpt-5-mini"');
});

it("an unknown id names the nearest ones", async () => {
  const response = await get("/api/v1/models/openai/gpt-5-minni");
  expect([response.status, (await response.json()).error]).toEqual([
    404,
    expect.stringContaining("Nearest: openai/gpt-5-mini, "),
  ]);
});

it("the page of a model has its prices with cents, and the commands that find its uses", async () => {
  const text = (await (await page("/models/openai/gpt-5-nano")).text()).replace(/<[^>]*>/g, "");
  expect(text).toContain("$0.05, $0.40 per million tokens");
  expect(text).toContain("npx tapedeck run --mode record --affected --model gpt-5-nano -- npm test");
});

it("GET /api/v1/models?models= answers each name, and the page of a cloud's name says whose dates it has", async () => {
  const name = "us.anthropic.claude-sonnet-4-20250514-v1:0";
  const { answers, count } = modelListSchema.parse(await (await get(`/api/v1/models?models=${name},nothing`)).json());
  const caveat = "The dates are those of anthropic: bedrock may end the model on another day.";
  expect([count, answers]).toEqual([
    1,
    [
      expect.objectContaining({ name, result: "found", caveat }),
      { name: "nothing", result: "unknown", model: null, nearest: expect.any(Array) },
    ],
  ]);
  const wrong = await get(`/api/v1/models?models=${"a,".repeat(100)}`);
  expect([wrong.status, (await wrong.json()).error]).toEqual([400, expect.stringContaining("at most 100 names")]);
  expect(await (await get(`/api/v1/models/anthropic/${name}`)).json()).toMatchObject({ caveat });
  const { headers } = await page(`/models/${name}`);
  expect(headers.get("location")).toMatch(/^\/models\/anthropic\/claude-sonnet-4-20250514\?name=us\.anthropic\./);
  expect(await (await page(headers.get("location") ?? "")).text()).toContain(caveat);
  expect(await (await page(`/models?q=${name}`)).text()).toContain(caveat);
  expect(await (await page("/models/anthropic/claude-sonnet-4-20250514")).text()).not.toContain(caveat);
});

it("the page of a model says that it may end, and names a successor that has not ended beside the stated one", async () => {
  const textOf = async (path: string) =>
    (await (await page(path)).text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  expect(await textOf("/models/google/gemini-2.5-flash")).toContain(" may end end: at any time since 16 Oct 2026 ");
  const replaced = await textOf("/models/openai/chatgpt-4o-latest");
  expect(replaced).toContain(" successor gpt-5.6-sol as stated gpt-5.1-chat-latest ");
  expect(replaced).toContain("# name gpt-5.6-sol where they use it");
  const list = await textOf("/models?provider=google&ends_by=2026-12-31");
  expect(list).toMatch(/\d+ models that end, or may, by 31 Dec 2026\. .* gemini-2\.5-flash google may end /);
});

it("GET /api/v1/changes filters by models, and its pages go on where the last one ended", async () => {
  const changes = async (query: string) => changeListSchema.parse(await (await get(`/api/v1/changes${query}`)).json());
  const all = await changes("");
  expect([all._meta.count, all.changes.length, all.changes.filter(({ models }) => models.length > 0)]).toEqual([
    30,
    30,
    [],
  ]);
  const next = await changes(`?cursor=${all._meta.next_cursor}`);
  expect(next.changes.filter(({ id }) => all.changes.some((before) => before.id <= id))).toEqual([]);
  expect((await changes("?models=gpt-5-mini,claude-sonnet-4")).changes).toEqual([]);
  for (const query of ["?models=%00", `?models=${"a".repeat(4_001)}`, "?cursor=1", "?models=a&models=b"])
    expect([query, (await get(`/api/v1/changes${query}`)).status]).toEqual([query, 400]);
});

const page = (path: string) =>
  fetch(`${inject("baseUrl")}${path}`, { headers: { accept: "text/html" }, redirect: "manual" });

it("the page of a model is found by an id alone, an alias or a dated version, for now", async () => {
  for (const [path, location] of [
    ["/models/gpt-5-mini", "/models/openai/gpt-5-mini"],
    ["/models/openai/gpt-5-mini-2025-08-07", "/models/openai/gpt-5-mini"],
    ["/models/claude-3-5-haiku-latest", "/models/anthropic/claude-3-5-haiku-20241022"],
    ["/models/openai", "/models?provider=openai"],
  ] as const) {
    const { status, headers } = await page(path);
    expect([path, status, headers.get("location")]).toEqual([path, 307, location]);
  }
  expect((await page("/models/groq/openai%2Fgpt-oss-120b")).status).toBe(200);
});

it("the 404 page of a model has the nearest ones and the search", async () => {
  const response = await page("/models/gpt-5-minni");
  const html = await response.text();
  expect([response.status, html.includes("No model is known as “gpt-5-minni”.")]).toEqual([404, true]);
  expect(html).toContain('href="/models/openai/gpt-5-mini"');
  expect(html).toContain('action="/models"');
  expect(await (await page("/models/gpt-oss-120b")).text()).toContain('href="/models/groq/openai/gpt-oss-120b"');
});

it("GET /api/v1/models/{provider}/{id} returns a model by its id, also with a slash, or 404", async () => {
  const { id, sources, history } = await (await get("/api/v1/models/groq/openai%2Fgpt-oss-120b")).json();
  expect([id, sources, history]).toEqual([
    ...["openai/gpt-oss-120b", [{ url: expect.any(String), read: expect.any(String) }]],
    [],
  ]);
  const missing = await get("/api/v1/models/openai/nothing");
  expect([missing.status, (await missing.json()).code]).toEqual([404, "not_found"]);
});

it("the tool get_model takes a provider and an id, apart or together, and names the nearest models", async () => {
  const { key } = await issueKey("starter");
  const call = async (given: object) => {
    const params = { name: "get_model", arguments: given };
    const { json } = await sendRpc("/api/mcp", { id: 1, method: "tools/call", params }, { key });
    const { id } = (json.result.structuredContent as { model: { id: string } } | undefined)?.model ?? {};
    return id ?? (json.result.content as { text: string }[])[0]?.text;
  };
  for (const given of [
    { provider: "OpenAI", id: "gpt-5-mini" },
    { provider: "openai", id: "openai/gpt-5-mini-2025-08-07" },
    { id: "openai/gpt-5-mini" },
    { id: "openrouter/openai/gpt-5-mini" },
  ])
    expect([given, await call(given)]).toEqual([given, "gpt-5-mini"]);
  expect(await call({ provider: "groq", id: "openai/gpt-oss-120b" })).toBe("openai/gpt-oss-120b");
  const missing = "No model is known as anthropic/gpt-5-mini. It may still end. Nearest: openai/gpt-5-mini";
  for (const given of [{ provider: "anthropic", id: "gpt-5-mini" }, { id: "anthropic/gpt-5-mini" }])
    expect(await call(given)).toContain(missing);
  const several =
    "Several models are known as gpt-oss-120b: pass its provider. cerebras/gpt-oss-120b, openai/gpt-oss-120b.";
  expect(await call({ id: "gpt-oss-120b" })).toBe(several);
  expect(await call({ id: "gpt-5-minni" })).toContain("Nearest: openai/gpt-5-mini");
});
