import { expect, inject, it } from "vitest";
import { modelListSchema } from "#lib/models/index";

const get = (path: string) => fetch(`${inject("baseUrl")}${path}`);

it("GET /api/v1/models lists the models of its filters, to anybody", async () => {
  const response = await get("/api/v1/models?provider=google&status=retired&q=");
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  const { models, count } = modelListSchema.parse(await response.json());
  expect([count, models.some(({ id }) => id === "gemini-2.0-flash")]).toEqual([models.length, true]);
  expect(models.filter(({ provider, status }) => provider !== "google" || status !== "retired")).toEqual([]);
  expect((await get("/api/v1/models?status=fine")).status).toBe(400);
});

it("GET /api/v1/models/{provider}/{id} returns a model by its id, also with a slash, or 404", async () => {
  const { id, sources } = await (await get("/api/v1/models/groq/openai%2Fgpt-oss-120b")).json();
  expect([id, sources]).toEqual(["openai/gpt-oss-120b", [{ url: expect.any(String), read: expect.any(String) }]]);
  const missing = await get("/api/v1/models/openai/nothing");
  expect([missing.status, (await missing.json()).code]).toEqual([404, "not_found"]);
});
