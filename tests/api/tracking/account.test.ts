import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { AccountTier } from "#lib/accounts/plans/index";
import { webhookEndpoints } from "#lib/tracking/webhooks/index";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { sendRpc } from "#tests/support/mcp";
import { accountHosts, cronSecret } from "#tests/support/start-app";
import { enqueueEvent, Receiver, status } from "#tests/support/webhook-receivers";

const receiver = new Receiver();
const accountIds: string[] = [];
beforeAll(async () => {
  await receiver.start(inject("receiverPort"));
});
afterAll(async () => {
  await receiver.stop();
  await withAppDatabase((database) => database.account.deleteMany({ where: { id: { in: accountIds } } }));
});

async function keyOf(tier: AccountTier) {
  const { key, stored } = await issueKey(tier);
  accountIds.push(stored.accountId);
  return { key, accountId: stored.accountId };
}

async function ask(
  path: string,
  { key, method = "GET", body }: { key?: string; method?: string; body?: unknown } = {},
) {
  const response = await fetch(`${inject("baseUrl")}/api/v1${path}`, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, json: await response.json() };
}

async function call(key: string, name: string, input: object) {
  const message = { id: 1, method: "tools/call", params: { name, arguments: input } };
  return (await sendRpc("/api/mcp", message, { key })).json.result;
}

const events = ["intelligence.high_significance"];
const urlOf = (index: number) => `http://${accountHosts[index]}/llms.txt`;

describe("webhooks of the running app", () => {
  it("are registered, listed, changed, tested, rotated and deleted", async () => {
    const { key } = await keyOf("pro");
    const filters = { categories: ["pricing-change"], min_significance: 5 };
    const made = await ask("/webhooks", { key, method: "POST", body: { url: receiver.url, events, filters } });
    expect([made.status, made.headers.get("x-ratelimit-limit"), made.json.webhook.filters]).toEqual([
      ...[201, "50000", filters],
    ]);
    const path = `/webhooks/${made.json.webhook.id}`;
    const changed = await ask(path, { key, method: "PATCH", body: { filters: { min_significance: 4 } } });
    expect([changed.status, changed.json.webhook.filters]).toEqual([200, { min_significance: 4 }]);
    expect((await ask("/webhooks", { key })).json).toEqual({
      _meta: { count: 1, tier: "pro" },
      webhooks: [changed.json.webhook],
    });
    receiver.answer = status(200, {}, "taken");
    const { delivery } = (await ask(`${path}/test`, { key, method: "POST" })).json;
    expect(delivery).toMatchObject({ status: "delivered", test: true });
    const again = await ask(`${path}/deliveries/${delivery.id}/redeliver`, { key, method: "POST" });
    expect(again.json.delivery.attempt_count).toBe(2);
    const { status: unknown, json } = await ask(`${path}/deliveries/abc/redeliver`, { key, method: "POST" });
    expect([unknown, json.error]).toEqual([404, 'Path parameter "deliveryId": must be a delivery\'s id, a UUID']);
    expect((await ask(`${path}/deliveries`, { key })).json._meta.count).toBe(1);
    expect((await ask(`${path}/rotate-secret`, { key, method: "POST" })).status).toBe(200);
    const remove = () => ask(`/webhooks?id=${made.json.webhook.id}`, { key, method: "DELETE" });
    expect((await remove()).json).toEqual({ deactivated: true, id: made.json.webhook.id });
    expect((await remove()).status).toBe(404);
  });

  it("can also be created, listed, changed and deactivated over MCP", async () => {
    const { key } = await keyOf("pro");
    const made = (await call(key, "create_webhook", { url: receiver.url, events, format: "slack" }))
      .structuredContent as { webhook: { id: string }; secret: string };
    expect(made.secret).toMatch(/^whsec_/);
    expect((await call(key, "create_webhook", { url: receiver.url })).isError).toBe(true);
    const { id } = made.webhook;
    expect((await call(key, "list_webhooks", {})).structuredContent).toMatchObject({
      webhooks: [{ id, active: true, format: "slack" }],
    });
    const filters = { categories: ["pricing-change"] };
    const updated = await call(key, "update_webhook", { id, filters });
    expect(updated.structuredContent).toMatchObject({ webhook: { id, filters } });
    const without = await call(key, "update_webhook", { id, filters: null });
    expect(without.structuredContent).not.toHaveProperty("webhook.filters");
    expect((await call(key, "delete_webhook", { id })).structuredContent).toEqual({ deactivated: true, id });
    expect((await call(key, "delete_webhook", { id })).isError).toBe(true);
  });

  it("receive an enqueued change when the job runs", async () => {
    const { key, accountId: vendorAccountId } = await keyOf("pro");
    await ask("/webhooks", { key, method: "POST", body: { url: receiver.url, events } });
    receiver.answer = status(200);
    const event = { data: { report: {} }, vendorAccountId };
    const { eventId } = await withAppDatabase((database) => enqueueEvent(database, event));
    const headers = { authorization: `Bearer ${cronSecret}` };
    // The app's own scheduler may already be running the job.
    const run = await fetch(`${inject("baseUrl")}/api/cron/deliver-webhooks`, { headers });
    expect([200, 409]).toContain(run.status);
    await expect.poll(() => receiver.received.map((received) => received.eventId)).toContain(eventId);
  });
});

describe("an account's vendors over HTTP", () => {
  it("are added, listed, found, renamed and removed", async () => {
    const { key } = await keyOf("pro");
    const made = await ask("/vendors", { key, method: "POST", body: { url: urlOf(0), name: "Own" } });
    expect([made.status, made.headers.get("x-ratelimit-limit"), made.headers.get("cache-control")]).toEqual([
      ...[201, "50000", "no-store"],
    ]);
    const { slug } = made.json.vendor;
    const again = await ask("/vendors", { key, method: "POST", body: { url: urlOf(0), category: "cloud" } });
    expect([again.status, again.json.vendor]).toEqual([200, made.json.vendor]);
    expect((await ask("/vendors/custom", { key })).json).toMatchObject({ count: 1, vendors: [{ slug, name: "Own" }] });
    expect((await ask(`/vendors/${slug}`, { key })).json).toEqual({
      vendor: made.json.vendor,
      snapshots: [],
      diffs: [],
    });
    const rename = (name: unknown) => ask(`/vendors/${slug}`, { key, method: "PATCH", body: { name } });
    expect((await rename(" Mine ")).json).toEqual({ vendor: { ...made.json.vendor, name: "Mine" } });
    for (const wrong of [undefined, " ", "a\u0007", "a".repeat(81)]) expect((await rename(wrong)).status).toBe(400);
    const removed = await ask(`/vendors/${slug}`, { key, method: "DELETE" });
    expect([removed.status, removed.json]).toEqual([200, { removed: true, slug }]);
    expect((await ask(`/vendors/${slug}`, { key, method: "DELETE" })).status).toBe(404);
  });

  it("can also be added, renamed and removed over MCP", async () => {
    const { key } = await keyOf("pro");
    const input = { url: urlOf(1), format: "openapi" };
    const added = (await call(key, "add_vendor", input)).structuredContent as { vendor: { slug: string } };
    const { slug } = added.vendor;
    const stored = await withAppDatabase((database) => database.vendor.findUniqueOrThrow({ where: { slug } }));
    expect(stored.reader).toBe("openapi");
    const renamed = await call(key, "rename_vendor", { slug, name: "Mine" });
    expect(renamed.structuredContent).toEqual({ vendor: { ...added.vendor, name: "Mine" } });
    expect((await call(key, "remove_vendor", { slug })).structuredContent).toEqual({ removed: true, slug });
    for (const [tool, input] of Object.entries({ remove_vendor: { slug }, rename_vendor: { slug, name: "Mine" } }))
      expect((await call(key, tool, input)).isError).toBe(true);
    const refused = await call(key, "add_vendor", { url: "http://10.0.0.1/llms.txt" });
    expect([refused.isError, JSON.stringify(refused.content)]).toEqual([true, expect.stringContaining("was rejected")]);
  });
});

describe("what an account registers", () => {
  it("needs the pro tier at each endpoint of webhooks", () => {
    for (const { auth, minimumTier } of webhookEndpoints.filter(({ id }) => id !== "purgeWebhooks"))
      expect([auth, minimumTier]).toEqual(["required", { tier: "pro", code: "forbidden" }]);
  });

  it("can be removed, with its URL and secret, after the tier has ended", async () => {
    const { key, accountId } = await keyOf("pro");
    const { slug } = (await ask("/vendors", { key, method: "POST", body: { url: urlOf(0) } })).json.vendor;
    await ask("/webhooks", { key, method: "POST", body: { url: receiver.url, events } });
    await withAppDatabase((database) => database.account.update({ where: { id: accountId }, data: { tier: "free" } }));
    expect((await ask("/webhooks", { key })).status).toBe(403);
    expect((await ask("/account/webhooks", { key, method: "DELETE" })).json).toEqual({ deleted: 1 });
    const listed = (await ask("/vendors/custom", { key })).json;
    expect(listed.vendors).toMatchObject([{ slug, latest_change: null }]);
    expect((await ask(`/vendors/${slug}`, { key, method: "DELETE" })).status).toBe(200);
    const left = await withAppDatabase((database) => database.webhook.count({ where: { accountId } }));
    expect(left).toBe(0);
  });

  it.each([
    ["/webhooks", () => ({ url: receiver.url, events }), [{ events }, { url: "http://10.1.2.3/", events }, []]],
    ["/vendors", () => ({ url: urlOf(0) }), [{}, { url: "ftp://a.example/" }, { url: "http://127.0.0.1:9/" }]],
  ])("needs a key of the pro tier and a valid body: %s", async (path, right, wrong) => {
    const codeOf = async (key: string | undefined, body: unknown) => {
      const { status: code, json } = await ask(path, { key, method: "POST", body });
      return [code, json.code];
    };
    expect(await codeOf(undefined, right())).toEqual([401, "unauthorized"]);
    expect(await codeOf((await keyOf("starter")).key, right())).toEqual([403, "forbidden"]);
    const { key } = await keyOf("pro");
    for (const body of wrong) expect([body, ...(await codeOf(key, body))]).toEqual([body, 400, "bad_request"]);
  });
});
