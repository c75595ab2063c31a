import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { isExtended } from "#tests/support/extended";
import { runCli, startCli } from "#tests/support/run-cli";
import { seededRandom } from "#tests/support/seeded-random";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { file, gate, late } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";

/** `npm test -- --extended` has the full count. */
const killCount = isExtended ? 50 : 3;
const vendorCount = 24;
const workerCount = 2;

const random = seededRandom("worker");
let database: TestDatabase;
let testVendors: TestVendors;

beforeAll(async () => {
  database = await createTestDatabase();
  testVendors = await startTestVendors({ vendorCount });
  for (const { slug, name, url, host } of testVendors.vendors)
    await addVendor(database.client, { slug, name, llmsTxtUrl: url, domain: host });
});
afterAll(async () => {
  await testVendors.close();
  await database.drop();
});

const environment = () => ({
  ...{ DATABASE_URL: database.url, LOG_LEVEL: "error" },
  OUTBOUND_ALLOWED_HOSTS: testVendors.allowedHosts.join(","),
});
const startWorker = () =>
  startCli(["worker", "--queues", "fetch", "--concurrency", "4"], { environment: environment() });
const makeDue = () => database.client.vendor.updateMany({ data: { nextFetchAt: new Date(Date.now() - 60_000) } });
const countDue = () => database.client.vendor.count({ where: { nextFetchAt: { lte: new Date() } } });
const fetchedFiles = () => testVendors.requests.filter(({ path }) => path === "/llms.txt").length;
const until = (condition: () => unknown) => vi.waitFor(condition, { timeout: 150_000, interval: 20 });

it(`workers of which ${killCount} are killed fetch every vendor, lose nothing, and store nothing twice`, async () => {
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, late(30, file()));
  const workers = Array.from({ length: workerCount }, startWorker);
  const roundsBefore = 1;
  await until(async () => expect(await countDue()).toBe(0));
  for (let kill = 1; kill <= killCount; kill += 1) {
    for (const { slug } of testVendors.vendors) testVendors.setVersion(slug, 1 + kill);
    testVendors.clearRequests();
    await makeDue();
    const fatalCount = 1 + Math.floor(random() * (vendorCount - 4));
    await until(() => expect(fetchedFiles()).toBeGreaterThanOrEqual(fatalCount));
    const index = Math.floor(random() * workerCount);
    workers[index]?.process.kill("SIGKILL");
    await workers[index]?.ended;
    workers[index] = startWorker();
    // Also without a new worker, the others would take the jobs of the killed one ten seconds later.
    await until(async () => expect(await countDue()).toBe(0));
  }
  await until(() => workers.map(({ stderr }) => expect(stderr()).toContain("Worker started")));
  for (const { process: child } of workers) child.kill("SIGTERM");
  expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0]);

  // A worker may have been killed between a version and its report.
  const analysis = await runCli(["cron", "run", "analyze-changes"], { environment: environment() });
  expect([analysis.code, analysis.stderr]).toEqual([0, ""]);

  const vendors = await database.client.vendor.findMany({
    include: { snapshots: true, diffs: true, fetches: { where: { outcome: "changed" } }, reports: true },
  });
  const versions = roundsBefore + killCount;
  for (const { slug, snapshots, diffs, fetches, reports } of vendors)
    expect([slug, snapshots.length, diffs.length, fetches.length, reports.length]).toEqual([
      ...[slug, versions, versions - 1, versions],
      versions,
    ]);
  const open = await database.client.$queryRaw`SELECT id FROM pgboss.job WHERE state <= 'active'`;
  expect(open).toEqual([]);
}, 900_000);

it("a worker that gets SIGTERM ends its requests, and leaves their vendors to others at once", async () => {
  const { answer, arrived } = gate();
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, answer);
  await makeDue();
  const worker = startWorker();
  await arrived;
  worker.process.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  const active = await database.client.$queryRaw`SELECT id FROM pgboss.job WHERE state = 'active'`;
  expect([active, await countDue()]).toEqual([[], vendorCount]);
});

it("an operator sees, pauses and resumes a queue", async () => {
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, file());
  const queue = async (...args: string[]) => (await runCli(["queue", ...args], { environment: environment() })).stdout;
  expect(await queue("pause", "fetch")).toBe("fetch is paused within 2 s.\n");
  const run = ["cron", "run", "fetch-vendors", "--json"];
  const paused = await runCli(run, { environment: environment() });
  expect(JSON.parse(paused.stdout).summary).toMatchObject({ fetched: 0, left: vendorCount });
  const { queues } = JSON.parse(await queue("status", "--json"));
  expect(queues.map(({ name }: { name: string }) => name)).toEqual(["fetch-dead", "fetch", "analyse", "batches"]);
  expect(queues[1]).toMatchObject({ waiting: vendorCount, running: 0, failed: 0, pausedAt: expect.any(String) });
  expect(await queue("status")).toMatch(/^fetch +paused since .+, 24 waiting, the oldest for \d+ s, 0 running/m);
  expect(await queue("resume", "fetch")).toBe("fetch is resumed.\n");
  expect(JSON.parse((await runCli(run, { environment: environment() })).stdout).summary).toMatchObject({
    ...{ fetched: vendorCount, left: 0 },
  });
  expect(await queue("retry", "analyse")).toBe("0 jobs are tried again.\n");
  const unknown = await runCli(["queue", "pause", "nothing"], { environment: environment() });
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Allowed choices are fetch")]);
});
