import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { systemIds } from "#lib/platform/ids";
import { enqueueHighSignificance, webhookEndpoints } from "#lib/tracking/webhooks/index";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { sendRpc } from "#tests/support/mcp";
import { type Served, serve } from "#tests/support/serve";
import { anySubject, Receiver, status, testKeys } from "#tests/support/webhook-receivers";

const receiver = new Receiver();
const accountIds: string[] = [];
let app: Served;
beforeAll(async () => {
  await receiver.start();
  app = await serve("node", {
    DATABASE_URL: inject("databaseUrl"),
    LOG_LEVEL: "warn",
    CASSETTE_STORE: "none",
    CRON_SECRET: "a-secret-of-the-tests",
    ENCRYPTION_KEYS: testKeys[0].toString("base64"),
    OUTBOUND_ALLOWED_HOSTS: receiver.host,
  });
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
  await withAppDatabase((database) => database.account.deleteMany({ where: { id: { in: accountIds } } }));
});

async function proKey() {
  const { key, stored } = await issueKey("pro");
  accountIds.push(stored.accountId);
  return { key, accountId: stored.accountId };
}

async function ask(
  path: string,
  { key, method = "GET", body }: { key?: string; method?: string; body?: unknown } = {},
) {
  const response = await fetch(`${app.origin}${path}`, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, json: await response.json() };
}

const events = ["intelligence.high_significance"];
const register = (key: string) => ask("/api/v1/webhooks", { key, method: "POST", body: { url: receiver.url, events } });

describe("webhooks of the running app", () => {
  it("are registered, listed, tested, rotated and deleted", async () => {
    const { key } = await proKey();
    const made = await register(key);
    expect([made.status, made.headers.get("x-ratelimit-limit")]).toEqual([201, "50000"]);
    const { id } = made.json.webhook;
    expect((await ask("/api/v1/webhooks", { key })).json).toMatchObject({ _meta: { count: 1, tier: "pro" } });
    receiver.answer = status(200, {}, "taken");
    const test = await ask(`/api/v1/webhooks/${id}/test`, { key, method: "POST" });
    expect(test.json.delivery).toMatchObject({ status: "delivered", test: true });
    const deliveryPath = `/api/v1/webhooks/${id}/deliveries/${test.json.delivery.id}/redeliver`;
    expect((await ask(deliveryPath, { key, method: "POST" })).json.delivery.attempt_count).toBe(2);
    expect((await ask(`/api/v1/webhooks/${id}/deliveries`, { key })).json._meta.count).toBe(1);
    expect((await ask(`/api/v1/webhooks/${id}/rotate-secret`, { key, method: "POST" })).status).toBe(200);
    expect((await ask(`/api/v1/webhooks?id=${id}`, { key, method: "DELETE" })).json).toEqual({ deactivated: true, id });
    expect((await ask(`/api/v1/webhooks?id=${id}`, { key, method: "DELETE" })).status).toBe(404);
    expect(app.output()).not.toMatch(/whsec_/);
  });

  it("need a key of the pro tier and a valid body", async () => {
    for (const { auth, minimumTier } of webhookEndpoints)
      expect([auth, minimumTier]).toEqual(["required", { tier: "pro", code: "forbidden" }]);
    const create = async (key: string | undefined, body: unknown) => {
      const { status: code, json } = await ask("/api/v1/webhooks", { key, method: "POST", body });
      return [code, json.code];
    };
    const body = { url: receiver.url, events };
    expect(await create(undefined, body)).toEqual([401, "unauthorized"]);
    expect(await create((await issueKey("starter")).key, body)).toEqual([403, "forbidden"]);
    const { key } = await proKey();
    for (const wrong of [{ events }, { ...body, url: "http://10.1.2.3/" }, { ...body, events: ["other"] }, []])
      expect([wrong, ...(await create(key, wrong))]).toEqual([wrong, 400, "bad_request"]);
    expect((await ask("/api/v1/webhooks", { key, method: "DELETE" })).status).toBe(400);
    expect((await ask("/api/v1/webhooks/x/test", { key, method: "POST" })).status).toBe(404);
  });

  it("have filters, which are changed with PATCH", async () => {
    const { key } = await proKey();
    const filters = { categories: ["pricing-change"], min_significance: 5 };
    const made = await ask("/api/v1/webhooks", { key, method: "POST", body: { url: receiver.url, events, filters } });
    expect([made.status, made.json.webhook.filters]).toEqual([201, filters]);
    const path = `/api/v1/webhooks/${made.json.webhook.id}`;
    const changed = await ask(path, { key, method: "PATCH", body: { filters: { min_significance: 4 } } });
    expect([changed.status, changed.json.webhook.filters]).toEqual([200, { min_significance: 4 }]);
    const { webhooks } = (await ask("/api/v1/webhooks", { key })).json;
    expect(webhooks).toEqual([changed.json.webhook]);
    const wrong = await ask(path, { key, method: "PATCH", body: { filters: { vendors: ["nobody-here"] } } });
    expect([wrong.status, wrong.json.error]).toEqual([400, expect.stringContaining('no vendor "nobody-here"')]);
    const preflight = await fetch(`${app.origin}${path}`, { method: "OPTIONS" });
    expect(preflight.headers.get("allow")).toBe("PATCH, OPTIONS");
    expect((await fetch(`${app.origin}${path}`)).status).toBe(405);
  });

  it("can also be created, listed and deactivated over MCP", async () => {
    const { key } = await proKey();
    const call = async (name: string, input: object) => {
      const message = { id: 1, method: "tools/call", params: { name, arguments: input } };
      return (await sendRpc("/api/mcp", message, { key, origin: app.origin })).json.result;
    };
    const made = (await call("create_webhook", { url: receiver.url })).structuredContent as {
      webhook: { id: string };
      secret: string;
    };
    expect(made.secret).toMatch(/^whsec_/);
    const { id } = made.webhook;
    expect((await call("list_webhooks", {})).structuredContent).toMatchObject({ webhooks: [{ id, active: true }] });
    const filters = { categories: ["pricing-change"] };
    const updated = await call("update_webhook", { id, filters });
    expect(updated.structuredContent).toMatchObject({ webhook: { id, filters } });
    const without = await call("update_webhook", { id, filters: null });
    expect(without.structuredContent).not.toHaveProperty("webhook.filters");
    const unknown = await call("update_webhook", { id, filters: { vendors: ["nobody-here"] } });
    expect([unknown.isError, JSON.stringify(unknown.content)]).toEqual([true, expect.stringContaining("nobody-here")]);
    expect((await call("delete_webhook", { id })).structuredContent).toEqual({ deactivated: true, id });
    expect((await call("delete_webhook", { id })).isError).toBe(true);
    expect(app.output()).not.toMatch(/whsec_/);
  });

  it("receive an enqueued change when the job runs", async () => {
    const { key, accountId } = await proKey();
    await register(key);
    receiver.answer = status(200);
    const { eventId } = await withAppDatabase((database) =>
      database.$transaction((transaction) =>
        enqueueHighSignificance(transaction, {
          data: { report: {} },
          reportId: null,
          vendorAccountId: accountId,
          subject: anySubject,
          at: new Date(),
          ids: systemIds,
        }),
      ),
    );
    const headers = { authorization: "Bearer a-secret-of-the-tests" };
    // The app's own scheduler may already be running the job.
    const run = await fetch(`${app.origin}/api/cron/deliver-webhooks`, { headers });
    expect([200, 409]).toContain(run.status);
    await expect.poll(() => receiver.received.map((received) => received.eventId)).toContain(eventId);
  });
});
