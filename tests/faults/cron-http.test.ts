import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import { runCli } from "#tests/support/run-cli";
import { type Served, serve } from "#tests/support/serve";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { file, gate } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";
import { writeBundle } from "../../lib/cli/bootstrap/command-bundle.mjs";

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
    CASSETTE_STORE: "none",
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

async function fetchByCommand() {
  const OUTBOUND_ALLOWED_HOSTS = testVendors.allowedHosts.join(",");
  const environment = { DATABASE_URL: database.url, OUTBOUND_ALLOWED_HOSTS, LOG_LEVEL: "silent" };
  return JSON.parse((await runCli(["cron", "run", "fetch-vendors", "--json"], { environment })).stdout);
}

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

it("a second start shares the work, and ends when nothing is left for it", async () => {
  const { answer, arrived, open } = gate();
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, answer);
  const running = start("fetch-vendors", bearer);
  await arrived;
  const nothing = { fetched: 0, changed: 0, unchanged: 0, failed: 0, left: 2 };
  expect(await start("fetch-vendors", bearer)).toMatchObject({ status: 200, body: { summary: nothing } });
  await database.client.cronRun.deleteMany({ where: { status: "completed" } });
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

it.runIf(isExtended)(
  "a large file is scored, compared and analysed by the app, and by the bundled command",
  async () => {
    const [vendor] = testVendors.vendors as [(typeof testVendors.vendors)[number]];
    const { slug } = vendor;
    const lines = Array.from(
      { length: 5_000 },
      (_, index) => `- [Page ${index}](https://docs.example.com/${index}): rows\n`,
    );
    const texts = [1, 2, 3, 4].map(
      (version) => `# Large\n\n${lines.join("").replaceAll("0): rows", `0): ${version}`)}`,
    );
    testVendors.setVersions(slug, texts);
    testVendors.setAnswer(slug, file());
    const fetchVersion = async (version: number, fetchAll: () => Promise<unknown>) => {
      testVendors.setVersion(slug, version);
      await database.client.vendor.update({ where: { slug }, data: { nextFetchAt: new Date(0) } });
      expect(await fetchAll()).toMatchObject({ summary: { changed: 1, failed: 0 } });
      const where = { vendor: { slug } };
      const { linesAdded, report } = await database.client.diff.findFirstOrThrow({
        where,
        orderBy: { id: "desc" },
        include: { report: true },
      });
      return [linesAdded, report?.keyQuotes.length];
    };
    const byApp = async () => (await start("fetch-vendors", bearer)).body;
    await fetchVersion(2, byApp);
    expect(await fetchVersion(3, byApp)).toEqual([500, 5]);
    await writeBundle();
    expect(await fetchVersion(4, fetchByCommand)).toEqual([500, 5]);
  },
);

it("the secret is never logged", async () => {
  await start("prune", bearer);
  await eventually(() => expect(app.output()).toContain("/api/cron/prune"));
  expect(app.output()).not.toContain(secret);
});
