import { afterEach, expect, it, onTestFailed } from "vitest";
import { createDatabase } from "#lib/platform/database/index";
import { eventually } from "#tests/support/eventually";
import { repeatedTimeoutMs } from "#tests/support/extended";
import { bearer } from "#tests/support/limits";
import { startMachines } from "#tests/support/machines";
import { startOwnPostgres } from "#tests/support/own-postgres";
import { file, late } from "#tests/support/vendor-answers";

const vendorCount = 300;
const victims = ["none", "worker", "other worker", "app", "other app", "database"] as const;
type Victim = (typeof victims)[number];
const timeout = repeatedTimeoutMs(victims.length);

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

/** Versions of a file, each with one announcement more, which is reported as significant. */
const versions = Array.from(
  { length: victims.length + 1 },
  (_, count) =>
    `# Acme\n\n> What it offers.\n\n## API\n\n${["Charges", "Refunds", "Payouts", "Invoices", "Disputes", "Balances"]
      .slice(0, count)
      .map((name) => `Breaking change: the ${name} API is deprecated and will be removed on 1 March 2027.\n`)
      .join("\n")}`,
);

/** Retries while the database is away. */
const whenBack = <T>(work: () => Promise<T>) => eventually(work);

it("kill -9 of each process in turn loses, doubles and blocks nothing, with Redis away", { timeout }, async () => {
  const postgres = await startOwnPostgres();
  toClose.push(() => postgres.remove());
  const client = createDatabase(postgres.url);
  toClose.push(() => client.$disconnect());
  const options = { databaseUrl: postgres.url, client, vendorCount, appCount: 2, concurrency: 16, toClose };
  const machines = await startMachines(options);
  const { vendors, receiver, upstash, apps, startApp, startWorker, issueKey, registerWebhook } = machines;
  for (const { slug } of vendors.vendors) {
    vendors.setVersions(slug, versions);
    vendors.setAnswer(slug, late(50, file()));
  }
  const key = await issueKey("pro");
  expect((await registerWebhook(apps[0]?.origin ?? "", key)).status).toBe(201);
  const workers = [startWorker(), startWorker()];
  onTestFailed(() => console.log(workers.map(({ stderr }) => stderr().slice(-2_000))));

  const eventCount = () => new Set(receiver.received.map(({ eventId }) => eventId)).size;
  const untilFetched = (version: number) =>
    whenBack(async () => expect(await client.snapshot.count()).toBe(version * vendorCount));
  await untilFetched(1);

  const listed = (origin: string) => fetch(`${origin}/api/v1/feed?limit=1`, { headers: bearer(key) });
  /** Kills a process, starts it again as a supervisor would, and returns when it works again. */
  const kill: Record<Victim, () => Promise<unknown>> = {
    none: async () => undefined,
    worker: () => killWorker(0),
    "other worker": () => killWorker(1),
    app: () => killApp(0),
    "other app": () => killApp(1),
    database: async () => {
      postgres.kill();
      await postgres.start();
      for (const app of apps) await whenBack(async () => expect((await listed(app.origin)).status).toBe(200));
    },
  };
  async function killWorker(index: number) {
    workers[index]?.process.kill("SIGKILL");
    await workers[index]?.ended;
    workers[index] = startWorker();
  }
  async function killApp(index: number) {
    apps[index]?.process.kill("SIGKILL");
    const other = apps[1 - index]?.origin ?? "";
    // Redis is away at the same time: the database counts, and nobody is refused.
    upstash.mode = index === 0 ? "down" : "cut";
    for (let count = 0; count < 10; count += 1) expect((await listed(other)).status).toBe(200);
    apps[index] = await startApp();
    expect((await listed(apps[index]?.origin ?? "")).status).toBe(200);
    upstash.mode = "fine";
    expect((await listed(other)).status).toBe(200);
  }

  const seconds: Record<string, { answers: number; fetched: number; delivered: number }> = {};
  for (const [round, victim] of victims.entries()) {
    const version = round + 2;
    for (const { slug } of vendors.vendors) vendors.setVersion(slug, version);
    vendors.clearRequests();
    await client.vendor.updateMany({ data: { nextFetchAt: new Date(Date.now() - 60_000) } });
    await eventually(() => expect(vendors.requests.length).toBeGreaterThan(60));
    const killedMs = performance.now();
    const since = () => Math.round((performance.now() - killedMs) / 100) / 10;
    await kill[victim]();
    const answers = since();
    await untilFetched(version);
    const fetched = since();
    await eventually(() => expect(eventCount()).toBe((version - 1) * vendorCount));
    seconds[victim] = { answers, fetched, delivered: since() };
  }
  console.log(`Seconds after each kill: ${JSON.stringify(seconds)}`);

  // Nothing is lost or stored twice.
  const counts = { snapshots: versions.length, diffs: versions.length - 1, reports: versions.length };
  const stored = await client.vendor.findMany({ include: { snapshots: true, diffs: true, reports: true } });
  for (const { slug, snapshots, diffs, reports } of stored)
    expect([slug, { snapshots: snapshots.length, diffs: diffs.length, reports: reports.length }]).toEqual([
      slug,
      counts,
    ]);
  const eventTotal = counts.diffs * vendorCount;
  expect([await client.webhookEvent.count(), await client.webhookDelivery.count()]).toEqual([eventTotal, eventTotal]);
  // A delivery arrives twice only if its sender was killed before it had stored the answer.
  const repeated = receiver.received.length - eventTotal;
  console.log(`${eventTotal} events were delivered, and ${repeated} arrived again.`);
  expect(repeated).toBeLessThan(vendorCount);
  // Nothing is stuck.
  await eventually(async () => {
    expect(await client.webhookDelivery.count({ where: { status: { not: "delivered" } } })).toBe(0);
    expect(await client.vendor.count({ where: { nextFetchAt: { lte: new Date() } } })).toBe(0);
    expect(await client.$queryRaw`SELECT id FROM pgboss.job WHERE state <= 'active'`).toEqual([]);
  });
});
