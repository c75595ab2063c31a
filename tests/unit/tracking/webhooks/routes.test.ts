import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import type { AccountTier } from "#lib/accounts/plans/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createWebhookEndpoint, webhookEndpoints } from "#lib/tracking/webhooks/index";
import { type App, loadApp } from "#tests/support/app-routes";
import { sharedDatabase } from "#tests/support/shared-database";
import { Receiver, testKeys } from "#tests/support/webhook-receivers";

type Method = "GET" | "POST" | "PATCH" | "DELETE" | "PUT";
const paths = {
  webhooks: "",
  webhook: "/{id}",
  test: "/{id}/test",
  deliveries: "/{id}/deliveries",
  redeliver: "/{id}/deliveries/{deliveryId}/redeliver",
  rotate: "/{id}/rotate-secret",
};

const database = sharedDatabase();
let app: App;
const receiver = new Receiver();
beforeAll(async () => {
  await receiver.start();
  vi.stubEnv("DATABASE_URL", database.url);
  vi.stubEnv("LOG_LEVEL", "silent");
  vi.stubEnv("ENCRYPTION_KEYS", testKeys[0].toString("base64"));
  vi.stubEnv("OUTBOUND_ALLOWED_HOSTS", receiver.host);
  // The environment is read once, so the modules are loaded again with all variables set.
  vi.resetModules();
  app = await loadApp();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await receiver.stop();
});

async function issueKey(tier: AccountTier = "pro"): Promise<string> {
  const context = { database: database.client, clock: systemClock, ids: systemIds };
  return (await createKey(context, { tier, label: "test" })).key;
}

type Ask = { key?: string; body?: unknown; params?: Record<string, string>; query?: string };

async function ask(name: keyof typeof paths, method: Method, { key, body, params = {}, query = "" }: Ask = {}) {
  const path = paths[name].replaceAll(/\{(\w+)\}/g, (_all, param: string) => params[param] ?? "");
  const request = new Request(`http://tapes.example/api/v1/webhooks${path}${query}`, {
    method,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const response = await app(request);
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: JSON.parse(text) };
}

const events = ["intelligence.high_significance"];
const register = (key: string, body: unknown = { url: receiver.url, events }) => ask("webhooks", "POST", { key, body });

describe("/api/v1/webhooks", () => {
  it("returns 401 without a key and 403 below the pro tier, on every endpoint", async () => {
    const starter = await issueKey("starter");
    const params = { id: randomUUID(), deliveryId: randomUUID() };
    const calls: [keyof typeof paths, Method][] = [
      ["webhooks", "GET"],
      ["webhooks", "POST"],
      ["webhooks", "DELETE"],
      ["webhook", "PATCH"],
      ["test", "POST"],
      ["deliveries", "GET"],
      ["redeliver", "POST"],
      ["rotate", "POST"],
    ];
    for (const [name, method] of calls) {
      const without = await ask(name, method, { params });
      expect([name, method, without.status, without.json.code]).toEqual([name, method, 401, "unauthorized"]);
      const low = await ask(name, method, { params, key: starter });
      expect([name, method, low.status, low.json.code]).toEqual([name, method, 403, "forbidden"]);
    }
    expect(calls).toHaveLength(webhookEndpoints.length);
  });

  it.each([
    ["no url", { events }, /"url": must be a URL that starts with http:\/\/ or https:\/\//],
    ["another scheme", { url: "ftp://example.com/", events }, /must be a URL that starts with http:\/\/ or https:\/\//],
    ["an invalid url", { url: "https://", events }, /must be a URL that starts with http:\/\/ or https:\/\//],
    ["a number", { url: 7, events }, /must be a URL that starts with http:\/\/ or https:\/\//],
    ["a space", { url: "https://example.com/a b", events }, /must be a URL that starts/],
    ["an invalid host", { url: "https://exa_mple..com:99999/", events }, /"url"/],
    ["a private address", { url: "http://10.1.2.3/", events }, /10\.1\.2\.3 is not a public address/],
    ["no events", { url: "https://example.com/" }, /"events"/],
    ["empty events", { url: "https://example.com/", events: [] }, /at least one/],
    ["another event", { url: "https://example.com/", events: ["vendor.changed"] }, /can only be "intelligence/],
    ["invalid JSON", "{", /not valid JSON/],
    ["a list", [], /must be an object/],
  ])("returns 400 for a body with %s", async (_name, body, message) => {
    const key = await issueKey();
    const { status: code, json } = await register(key, body);
    expect([code, json]).toEqual([400, { error: expect.stringMatching(message), code: "bad_request", status: 400 }]);
  });

  it("stores a repeated event type once", async () => {
    const { json } = await register(await issueKey(), { url: receiver.url, events: [...events, ...events] });
    expect(json.webhook.events).toEqual(events);
  });

  it.each([
    ["", ""],
    ["?id=", ""],
    ["?id=7", ""],
  ])("returns 400 for a delete with the query '%s'", async (query) => {
    const { status: code, json } = await ask("webhooks", "DELETE", { key: await issueKey(), query });
    expect([code, json.code]).toEqual([400, "bad_request"]);
  });
});

describe("the additional endpoints", () => {
  it("return 404 for malformed ids, and 400 for an invalid cursor", async () => {
    const key = await issueKey();
    const { id } = (await register(key)).json.webhook;
    expect((await ask("test", "POST", { key, params: { id: "x" } })).status).toBe(404);
    const wrong = await ask("deliveries", "GET", { key, params: { id }, query: "?cursor=x" });
    expect([wrong.status, wrong.json.code]).toEqual([400, "invalid_cursor"]);
  });
});

describe("the declarations", () => {
  it("have examples that fit their schemas", () => {
    for (const { id, responses } of webhookEndpoints) {
      for (const { body } of Object.values(responses)) {
        expect([id, body?.schema.safeParse(body.example).error]).toEqual([id, undefined]);
      }
    }
    expect(createWebhookEndpoint.body?.safeParse(createWebhookEndpoint.bodyExample).success).toBe(true);
  });
});
