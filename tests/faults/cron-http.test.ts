import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { type Served, serve } from "#tests/support/serve";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { gate } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";

const secret = "a secret of more than sixteen characters";
let database: TestDatabase;
let testVendors: TestVendors;
let app: Served;
beforeAll(async () => {
  database = await createTestDatabase();
  testVendors = await startTestVendors({ vendorCount: 2 });
  for (const { slug, name, url, host } of testVendors.vendors) {
    await addVendor(database.client, { slug, name, llmsTxtUrl: url, domain: host });
  }
  const OUTBOUND_ALLOWED_HOSTS = testVendors.allowedHosts.join(",");
  app = await serve("node", {
    DATABASE_URL: database.url,
    CRON_SECRET: secret,
    OUTBOUND_ALLOWED_HOSTS,
    LOG_LEVEL: "info",
  });
});
afterAll(async () => {
  await app.stop();
  await testVendors.close();
  await database.drop();
});

async function start(job: string, authorization?: string) {
  const response = await fetch(`${app.origin}/api/cron/${job}`, authorization ? { headers: { authorization } } : {});
  return { status: response.status, body: await response.json() };
}
const bearer = `Bearer ${secret}`;

it.each([undefined, "Bearer", "Bearer wrong", bearer.slice(0, -1), `${bearer} `.repeat(2), secret])(
  "a request with authorization %j does not run a job",
  async (authorization) => {
    expect(await start("prune", authorization)).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    expect(await database.client.cronRun.count({ where: { job: "prune" } })).toBe(0);
  },
);

it("an unknown job is 404 with a list of the existing jobs", async () => {
  const { status, body } = await start("nothing", bearer);
  expect([status, body.code, body.error]).toEqual([404, "not_found", expect.stringContaining("fetch-vendors")]);
});

it("of two concurrent starts one runs; the other is a conflict and leaves no record", async () => {
  const { answer, arrived, open } = gate();
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, answer);
  const running = start("fetch-vendors", bearer);
  await arrived;
  expect(await start("fetch-vendors", bearer)).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect(await database.client.cronRun.count()).toBe(1);
  open();
  const summary = { fetched: 2, changed: 2, unchanged: 0, failed: 0, left: 0 };
  const run = await running;
  expect(run).toEqual({ status: 200, body: { job: "fetch-vendors", run_id: expect.any(String), summary } });

  const { key } = await createKey(
    { database: database.client, clock: systemClock, ids: systemIds },
    { tier: "free", label: "test", expiresAt: null },
  );
  const url = `${app.origin}/api/v1/cron/status`;
  expect((await fetch(url)).status).toBe(401);
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  expect([response.status, response.headers.get("x-ratelimit-limit")]).toEqual([200, "100"]);
  const finished = { status: "completed", error: null, summary };
  expect(await response.json()).toEqual({
    jobs: [{ name: "fetch-vendors", ...finished, last_run_at: expect.any(String), finished_at: expect.any(String) }],
  });
});

it("the secret is never logged", async () => {
  await start("prune", bearer);
  await vi.waitFor(() => expect(app.output()).toContain("/api/cron/prune"));
  expect(app.output()).not.toContain(secret);
});
