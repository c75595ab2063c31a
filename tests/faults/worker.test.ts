import { afterAll, beforeAll, expect, it, onTestFailed, onTestFinished, vi } from "vitest";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { createTestDatabase } from "#tests/support/database";
import { isExtended, repeatedTimeoutMs } from "#tests/support/extended";
import { type OwnPostgres, startOwnPostgres } from "#tests/support/own-postgres";
import { type CliRun, runCommand, startCli } from "#tests/support/run-cli";
import { seededRandom } from "#tests/support/seeded-random";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { file, gate, late } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";

/** `npm test -- --extended` has the full count. */
const killCount = Number(process.env.TEST_KILLS ?? (isExtended ? 50 : 1));
const timeout = repeatedTimeoutMs(killCount);
const vendorCount = isExtended ? 24 : 8;
const workerCount = isExtended ? 2 : 1;

/** Every second time, the database is killed instead of a worker. */
const databaseKillInterval = 2;

const random = seededRandom("worker");
/** A server of its own, if it is killed. */
let postgres: OwnPostgres | undefined;
let url: string;
let database: Database;
let drop: () => Promise<void>;
let testVendors: TestVendors;

beforeAll(async () => {
  if (killCount >= databaseKillInterval) {
    postgres = await startOwnPostgres();
    url = postgres.url;
    database = createDatabase(url);
    drop = async () => {
      await database.$disconnect();
      await postgres?.remove();
    };
  } else ({ url, client: database, drop } = await createTestDatabase());
  testVendors = await startTestVendors({ vendorCount });
  for (const { slug, name, url, host } of testVendors.vendors)
    await addVendor(database, { slug, name, llmsTxtUrl: url, domain: host });
});
afterAll(async () => {
  await testVendors.close();
  await drop();
});

const environment = () => ({
  DATABASE_URL: url,
  LOG_LEVEL: "warn",
  OUTBOUND_ALLOWED_HOSTS: testVendors.allowedHosts.join(","),
});

/** Starts a worker, which is killed at the end of the test if it still runs. */
function startWorker(): CliRun {
  const worker = startCli(["worker", "--queues", "fetch,analyse", "--concurrency", "4"], {
    environment: environment(),
  });
  onTestFinished(() => void worker.process.kill("SIGKILL"));
  return worker;
}

/** What is needed to find out why the vendors are not fetched. */
async function printState(workers: readonly CliRun[]): Promise<void> {
  const [due, jobs, slots] = await Promise.all([
    database.vendor.findMany({ where: { nextFetchAt: { lte: new Date() } }, select: { id: true, slug: true } }),
    database.$queryRaw`
      SELECT name, state::text, singleton_key, retry_count, start_after, heartbeat_on, now() FROM pgboss.job
      WHERE state < 'completed'`,
    database.hostSlot.findMany({ where: { secondUntil: { gt: new Date() } } }),
  ]);
  console.log({ due, jobs, slots, logs: workers.map(({ stderr }) => stderr().slice(-3_000)) });
}

const makeDue = () => database.vendor.updateMany({ data: { nextFetchAt: new Date(Date.now() - 60_000) } });
const countDue = () => database.vendor.count({ where: { nextFetchAt: { lte: new Date() } } });
const fetchedFiles = () => testVendors.requests.filter(({ path }) => path === "/llms.txt").length;
const until = (condition: () => unknown, interval = 20) => vi.waitFor(condition, { timeout: 1_200_000, interval });
const untilFetched = () => until(async () => expect(await countDue()).toBe(0), 250);

it(`${killCount} kills of workers and the database lose nothing, and nothing is stored twice`, {
  timeout,
}, async () => {
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, late(30, file()));
  const workers = Array.from({ length: workerCount }, startWorker);
  onTestFailed(() => printState(workers));
  await untilFetched();
  const recoveriesMs = { worker: 0, database: 0 };
  for (let kill = 1; kill <= killCount; kill += 1) {
    for (const { slug } of testVendors.vendors) testVendors.setVersion(slug, 1 + kill);
    testVendors.clearRequests();
    await until(makeDue);
    const fatalCount = 1 + Math.floor(random() * (vendorCount - 4));
    await until(() => expect(fetchedFiles()).toBeGreaterThanOrEqual(fatalCount));
    const victim = kill % databaseKillInterval === 0 ? "database" : "worker";
    const killedMs = performance.now();
    if (victim === "database") {
      postgres?.kill();
      await postgres?.start();
    } else {
      const index = Math.floor(random() * workerCount);
      workers[index]?.process.kill("SIGKILL");
      await workers[index]?.ended;
      workers[index] = startWorker();
    }
    await untilFetched();
    recoveriesMs[victim] = Math.max(recoveriesMs[victim], performance.now() - killedMs);
  }
  console.log(`All vendors were fetched at most ${JSON.stringify(recoveriesMs)} ms after a kill.`);

  await until(() => workers.map(({ stderr }) => expect(stderr()).toContain("Worker started")));
  for (const { process: child } of workers) child.kill("SIGTERM");
  for (const { ended } of workers) expect(await ended).toBe(0);
  // The next run of the jobs does what the workers left: a version without its report, or a fetch that another one has done.
  for (const job of ["fetch-vendors", "analyze-changes"]) {
    const { code, stderr } = await runCommand(["cron", "run", job], { environment: environment() });
    expect([code, stderr]).toEqual([0, ""]);
  }
  const versions = 1 + killCount;
  const vendors = await database.vendor.findMany({
    include: { snapshots: true, diffs: true, fetches: { where: { outcome: "changed" } }, reports: true },
  });
  for (const { slug, snapshots, diffs, fetches, reports } of vendors)
    expect([slug, snapshots.length, diffs.length, fetches.length, reports.length]).toEqual([
      ...[slug, versions, versions - 1, versions],
      versions,
    ]);
  const open = await database.$queryRaw`SELECT id FROM pgboss.job WHERE state <= 'active'`;
  expect(open).toEqual([]);
});

it("a worker that gets SIGTERM ends its requests, and leaves their vendors to others at once", async () => {
  const { answer, arrived } = gate();
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, answer);
  await makeDue();
  const worker = startWorker();
  await arrived;
  worker.process.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  const active = await database.$queryRaw`SELECT id FROM pgboss.job WHERE state = 'active'`;
  expect([active, await countDue()]).toEqual([[], vendorCount]);
});

it("an operator sees, pauses and resumes a queue", async () => {
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, file());
  const queue = async (...args: string[]) =>
    (await runCommand(["queue", ...args], { environment: environment() })).stdout;
  expect(await queue("pause", "fetch")).toBe("fetch is paused within 2 s.\n");
  const paused = await runCommand(["cron", "run", "fetch-vendors", "--json"], { environment: environment() });
  expect(JSON.parse(paused.stdout).summary).toMatchObject({ fetched: 0, left: vendorCount });
  expect(paused.stderr).toBe("The queue fetch is paused; resume it: npm run -s tapedeck -- queue resume fetch\n");
  const { queues, vendorsDue } = JSON.parse(await queue("status", "--json"));
  expect(vendorsDue).toBe(vendorCount);
  expect(queues.map(({ name }: { name: string }) => name)).toEqual(["fetch-dead", "fetch", "analyse"]);
  expect(queues[1]).toMatchObject({ waiting: vendorCount, running: 0, failed: 0, pausedAt: expect.any(String) });
  expect(await queue("status")).toMatch(
    new RegExp(
      `^fetch +paused since .+, ${vendorCount} waiting, the oldest for \\d+ s, 0 running.+\n[^]*^${vendorCount} vendors are due$`,
      "m",
    ),
  );
  expect(await queue("resume", "fetch")).toBe("fetch is resumed.\n");
  await database.$executeRaw`INSERT INTO pgboss.job (name, data, policy) VALUES ('fetch-dead', '{}', 'standard')`;
  expect(await queue("retry", "fetch-dead")).toBe("1 job is tried again.\n");
  const unknown = await runCommand(["queue", "pause", "nothing"], { environment: environment() });
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Allowed choices are fetch")]);
});

it("a worker that has no job to run ends with an error", async () => {
  const { code, stderr } = await runCommand(["worker"], { environment: { ...environment(), CRON: "off" } });
  expect([code, stderr]).toEqual([1, expect.stringContaining("Unset CRON, or start no worker.")]);
});
