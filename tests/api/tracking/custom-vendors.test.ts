import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { sendRpc } from "#tests/support/mcp";
import { type Served, serve } from "#tests/support/serve";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";

let testVendors: TestVendors;
let app: Served;
const accountIds: string[] = [];
beforeAll(async () => {
  testVendors = await startTestVendors({ vendorCount: 2 });
  app = await serve("node", {
    DATABASE_URL: inject("databaseUrl"),
    LOG_LEVEL: "warn",
    OUTBOUND_ALLOWED_HOSTS: testVendors.allowedHosts.join(","),
  });
});
afterAll(async () => {
  await app.stop();
  await testVendors.close();
  await withAppDatabase((database) => database.account.deleteMany({ where: { id: { in: accountIds } } }));
});

async function keyOf(tier: "pro" | "starter") {
  const { key, stored } = await issueKey(tier);
  accountIds.push(stored.accountId);
  return key;
}

async function ask(
  path: string,
  { key, method = "GET", body }: { key?: string; method?: string; body?: unknown } = {},
) {
  const response = await fetch(`${app.origin}/api/v1/vendors${path}`, {
    method,
    headers: { ...(key && { authorization: `Bearer ${key}` }), "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, json: await response.json() };
}
const urlOf = (index: number) => testVendors.vendors[index]?.url as string;

describe("an account's vendors over HTTP", () => {
  it("are added, listed, found and removed", async () => {
    const key = await keyOf("pro");
    const made = await ask("", { key, method: "POST", body: { url: urlOf(0), name: "Own" } });
    expect([made.status, made.headers.get("x-ratelimit-limit"), made.headers.get("cache-control")]).toEqual([
      ...[201, "50000", "no-store"],
    ]);
    const { slug } = made.json.vendor;
    const again = await ask("", { key, method: "POST", body: { url: urlOf(0), category: "cloud" } });
    expect([again.status, again.json.vendor]).toEqual([200, made.json.vendor]);
    expect((await ask("/custom", { key })).json).toMatchObject({ count: 1, vendors: [{ slug, name: "Own" }] });
    expect((await ask(`/${slug}`, { key })).json).toEqual({ vendor: made.json.vendor, snapshots: [], diffs: [] });
    const removed = await ask(`/${slug}`, { key, method: "DELETE" });
    expect([removed.status, removed.json]).toEqual([200, { removed: true, slug }]);
    expect((await ask(`/${slug}`, { key, method: "DELETE" })).status).toBe(404);
  });

  it("need the pro tier, and a valid body", async () => {
    const body = { url: urlOf(0) };
    const code = async (options: Parameters<typeof ask>[1]) => {
      const { status, json } = await ask("", { method: "POST", ...options });
      return [status, json.code];
    };
    expect(await code({ body })).toEqual([401, "unauthorized"]);
    expect(await code({ key: await keyOf("starter"), body })).toEqual([403, "forbidden"]);
    const key = await keyOf("pro");
    for (const wrong of [{}, { url: "ftp://a.example/" }, { url: "http://127.0.0.1:9/" }, { ...body, category: "x" }])
      expect([wrong, ...(await code({ key, body: wrong }))]).toEqual([wrong, 400, "bad_request"]);
    expect((await ask("/custom")).status).toBe(401);
  });

  it("can also be added and removed over MCP", async () => {
    const key = await keyOf("pro");
    const call = async (name: string, input: object) => {
      const message = { id: 1, method: "tools/call", params: { name, arguments: input } };
      return (await sendRpc("/api/mcp", message, { key, origin: app.origin })).json.result;
    };
    const added = (await call("add_vendor", { url: urlOf(1) })).structuredContent as { vendor: { slug: string } };
    const { slug } = added.vendor;
    expect((await call("remove_vendor", { slug })).structuredContent).toEqual({ removed: true, slug });
    expect((await call("remove_vendor", { slug })).isError).toBe(true);
    const refused = await call("add_vendor", { url: "http://10.0.0.1/llms.txt" });
    expect([refused.isError, JSON.stringify(refused.content)]).toEqual([true, expect.stringContaining("was rejected")]);
  });
});
