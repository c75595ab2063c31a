import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import { runCli, runCommand } from "#tests/support/run-cli";
import { type Served, serve } from "#tests/support/serve";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { file } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";
import { Receiver } from "#tests/support/webhook-receivers";
import { writeBundle } from "../../lib/cli/bootstrap/command-bundle.mjs";

const secret = "a secret of more than sixteen characters";
const encryptionKey = Buffer.alloc(32, 5).toString("base64");
const first =
  "# Acme\n\n> What it offers.\n\n## API\n\n- [Charges](https://docs.example.com/charges): take a payment\n";
const second = `${first}\nBreaking change: the charges API is deprecated and will be removed on 1 March 2027.\n`;

let database: TestDatabase;
let testVendors: TestVendors;
const receiver = new Receiver();
let app: Served;
beforeAll(async () => {
  database = await createTestDatabase();
  testVendors = await startTestVendors({ vendorCount: 3 });
  // The third one is added with its webhook.
  for (const { slug, name, url, host } of testVendors.vendors.slice(0, 2)) {
    await addVendor(database.client, { slug, name, llmsTxtUrl: url, domain: host });
  }
  await receiver.start();
  app = await serve("node", { ...environment(), CRON_SECRET: secret, LOG_LEVEL: "info" });
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
  await testVendors.close();
  await database.drop();
});

const environment = () => ({
  DATABASE_URL: database.url,
  ENCRYPTION_KEYS: encryptionKey,
  LOG_LEVEL: "warn",
  CASSETTE_STORE: "none",
  OUTBOUND_ALLOWED_HOSTS: [...testVendors.allowedHosts, receiver.host].join(","),
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

it("a job is run with its secret, and its status shown to those with a key", async () => {
  const summary = { fetched: 2, changed: 2, unchanged: 0, failed: 0, left: 0 };
  const run = await start("fetch-vendors", bearer);
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
    const byCommand = async () =>
      JSON.parse((await runCli(["cron", "run", "fetch-vendors", "--json"], { environment: environment() })).stdout);
    expect(await fetchVersion(4, byCommand)).toEqual([500, 5]);
  },
);

it("a change of high significance is delivered with a signature in the same run, and its report can be fetched", async () => {
  const context = { database: database.client, clock: systemClock, ids: systemIds };
  const { key: apiKey } = await createKey(context, { tier: "pro", label: "test", expiresAt: null });
  const authorization = { authorization: `Bearer ${apiKey}` };
  const registered = await fetch(`${app.origin}/api/v1/webhooks`, {
    method: "POST",
    headers: { ...authorization, "content-type": "application/json" },
    body: JSON.stringify({ url: receiver.url, events: ["intelligence.high_significance"] }),
  });
  expect(registered.status).toBe(201);
  const { secret } = (await registered.json()) as { secret: string };

  const [, , { slug, url, host }] = testVendors.vendors as [unknown, unknown, TestVendors["vendors"][0]];
  await addVendor(database.client, { slug, name: "Acme", llmsTxtUrl: url, domain: host });
  testVendors.setVersions(slug, [first, second]);
  const fetchNow = () => runCommand(["vendors", "fetch", slug, "--json"], { environment: environment() });
  expect((await fetchNow()).code).toBe(0);
  expect(receiver.received).toEqual([]);
  testVendors.setVersion(slug, 2);
  expect(JSON.parse((await fetchNow()).stdout).outcomes).toEqual({ [slug]: "changed" });

  expect(receiver.received).toHaveLength(1);
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
  expect(headers["x-ltf-signature"]).toBe(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const event = JSON.parse(body);
  expect(event).toMatchObject({
    type: "intelligence.high_significance",
    data: { vendor: { slug }, diff: { lines_added: 2 } },
  });

  const response = await fetch(`${app.origin}/api/v1/intelligence?vendor=${slug}&min_significance=4`, {
    headers: authorization,
  });
  const { intelligence } = (await response.json()) as { intelligence: { id: string; analysis_mode: string }[] };
  expect(intelligence).toEqual([event.data.report]);
  expect(intelligence[0]?.analysis_mode).toBe("realtime");
  expect(await runCommand(["cron", "run", "analyze-changes", "--json"], { environment: environment() })).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining('"analysed": 0'),
  });
});

it("webhooks reencrypt moves secrets to a new encryption key, which then suffices to read them", async () => {
  const newKey = Buffer.alloc(32, 6).toString("base64");
  const reencrypt = (keys: string) =>
    runCommand(["webhooks", "reencrypt"], { environment: { ...environment(), ENCRYPTION_KEYS: keys } });
  expect(await reencrypt(newKey)).toMatchObject({ code: 1, stderr: expect.stringContaining("1 cannot be decrypted") });
  expect(await reencrypt(`${newKey},${encryptionKey}`)).toMatchObject({
    code: 0,
    stdout: "1 encrypted again\n",
    stderr: expect.stringMatching(
      /^Servers .* started without the first of these ENCRYPTION_KEYS cannot read them.*\n$/,
    ),
  });
  expect(await reencrypt(newKey)).toMatchObject({ code: 0, stdout: "0 encrypted again\n", stderr: "" });
});

it("the secret is never logged", async () => {
  await start("prune", bearer);
  await eventually(() => expect(app.output()).toContain("/api/cron/prune"));
  expect(app.output()).not.toContain(secret);
});
