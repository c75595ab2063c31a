import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { analyzeChangesJob } from "#lib/jobs/analyze-changes-job";
import { fetchVendorsJob } from "#lib/jobs/fetch-vendors-job";
import { openQueues, readQueueStatus, runJob, setPaused } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { withEnvironment } from "#lib/platform/config";
import { systemIds } from "#lib/platform/ids";
import { databaseOfTest } from "#tests/support/shared-database";
import { startTestVendors, type TestVendor, type TestVendors } from "#tests/support/test-vendors";
import { file, gate } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";

const database = databaseOfTest();
let testVendors: TestVendors;
const log = pino({ level: "silent" });

afterEach(() => testVendors.close());

/** Starts vendors, all of them due. */
async function start(vendorCount: number): Promise<void> {
  testVendors = await startTestVendors({ vendorCount });
  for (const { slug, name, url, host } of testVendors.vendors)
    await addVendor(database.client, { slug, name, llmsTxtUrl: url, domain: host });
}

const context = () => ({
  database: database.client,
  clock: systemClock,
  ids: systemIds,
  log,
  origin: "http://127.0.0.1:3000",
  siteUrls: {},
});
const run = (options: Parameters<typeof runJob>[2] = {}) =>
  withEnvironment({ OUTBOUND_ALLOWED_HOSTS: testVendors.allowedHosts.join(",") }, () =>
    runJob(context(), fetchVendorsJob, options),
  );
const fetchCounts = async () =>
  (await database.client.vendor.findMany({ select: { _count: { select: { fetches: true } } } })).map(
    ({ _count }) => _count.fetches,
  );
const openJobs = () =>
  database.client.$queryRaw<{ state: string; count: number }[]>`
    SELECT state::text, count(*)::int AS count FROM pgboss.job WHERE state <= 'active' GROUP BY state`;

const makeDue = () => database.client.vendor.updateMany({ data: { nextFetchAt: new Date(Date.now() - 60_000) } });

/** Makes the taken jobs those of processes that ended a while ago. */
const endProcesses = () => database.client.$executeRaw`
  UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'`;

/** Gives the taken jobs to others, as if their processes had ended a while ago. */
async function loseWorkers(): Promise<void> {
  await endProcesses();
  await database.client.$executeRaw`UPDATE pgboss.queue SET monitor_claim_on = now() - interval '1 minute'`;
  await (await openQueues(context())).close();
}

describe("runs of fetch-vendors", () => {
  it("share the vendors that are due, and fetch each once", async () => {
    // A run fetches 32 files at a time, so none is sent until another run has taken the rest.
    await start(36);
    const { answer, open } = gate();
    let arrivedCount = 0;
    for (const { slug } of testVendors.vendors) {
      testVendors.setAnswer(slug, (visit) => {
        arrivedCount += 1;
        if (arrivedCount > 32) open();
        return answer(visit);
      });
    }
    const runs = await Promise.all([run(), run(), run()]);
    const fetched = runs.map(({ summary }) => summary.fetched ?? 0);
    expect(fetched.reduce((sum, count) => sum + count)).toBe(36);
    expect(fetched.filter((count) => count > 0).length).toBeGreaterThan(1);
    expect(await fetchCounts()).toEqual(Array.from({ length: 36 }, () => 1));
    expect(await openJobs()).toEqual([]);
    const records = await database.client.cronRun.findMany({ select: { status: true } });
    expect(records).toEqual(Array.from({ length: 3 }, () => ({ status: "completed" })));
  });

  it("take over the vendors of a process that has ended, and nothing is fetched twice", async () => {
    await start(6);
    const queues = await openQueues(context());
    // Another process takes all jobs, stores one fetch, and ends.
    await run({ signal: AbortSignal.abort() });
    const { vendors } = testVendors;
    const ids = (await database.client.vendor.findMany({ select: { id: true } })).map(({ id }) => id);
    await queues.boss.insert(
      "fetch",
      ids.map((vendorId) => ({ singletonKey: vendorId, data: { vendorId } })),
    );
    const taken = await queues.boss.fetch<{ vendorId: string }>("fetch", { batchSize: 10 });
    expect(taken).toHaveLength(6);
    await database.client.vendor.update({
      where: { id: taken[0]?.data.vendorId ?? "" },
      data: { nextFetchAt: new Date(Date.now() + 60_000) },
    });
    expect((await run()).summary).toMatchObject({ fetched: 0, left: 5 });
    await loseWorkers();
    expect(await openJobs()).toEqual([{ state: "retry", count: 6 }]);
    expect((await run()).summary).toMatchObject({ fetched: 5, changed: 5, left: 0 });
    expect(testVendors.requests.filter(({ path }) => path === "/llms.txt")).toHaveLength(vendors.length - 1);
    expect(await openJobs()).toEqual([]);
    await queues.close();
  });

  it("have the reports written that a process owed when it ended, also those of followers", async () => {
    await start(3);
    await run();
    const [lost, kept] = await database.client.vendor.findMany({ select: { id: true, llmsTxtUrl: true } });
    const { id: accountId } = await database.client.account.create({ data: { id: systemIds.next(), tier: "pro" } });
    const { llmsTxtUrl } = lost as { llmsTxtUrl: string };
    await addVendor(database.client, { slug: "follower", llmsTxtUrl, accountId });
    await makeDue();
    await run();
    expect(await database.client.report.count()).toBe(4);
    await database.client.report.deleteMany();
    const queues = await openQueues(context());
    await queues.boss.insert("fetch", [{ singletonKey: lost?.id ?? "", data: { vendorId: lost?.id } }]);
    await queues.boss.fetch("fetch");
    await loseWorkers();
    await queues.close();
    await run();
    expect(await analyzeChangesJob.hasWork?.(context())).toBe(true);
    const jobs = await database.client.$queryRaw<{ vendorId: string }[]>`
      SELECT data->>'vendorId' AS "vendorId" FROM pgboss.job WHERE name = 'analyse' ORDER BY 1`;
    const follower = await database.client.vendor.findUniqueOrThrow({ where: { slug: "follower" } });
    expect(jobs.map(({ vendorId }) => vendorId)).toEqual([lost?.id, follower.id].sort());
    expect(jobs).not.toContainEqual({ vendorId: kept?.id });
  });

  it("that are aborted leave their vendors to the next run", async () => {
    // Half of them are fetched, and half are ready.
    await start(16);
    const { answer, arrived } = gate();
    for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, answer);
    const controller = new AbortController();
    const running = run({ signal: controller.signal, concurrency: 8 });
    await arrived;
    controller.abort();
    expect((await running).summary).toMatchObject({ fetched: 0, left: 16 });
    expect(await openJobs()).toEqual([]);
    for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, file());
    expect((await run()).summary).toMatchObject({ fetched: 16, left: 0 });
  });

  it("are not started for vendors that other runs fetch, or while the queue is paused", async () => {
    await start(3);
    const hasWork = () => fetchVendorsJob.hasWork?.(context());
    expect(await hasWork()).toBe(true);
    const { answer, arrived } = gate();
    for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, answer);
    const controller = new AbortController();
    const running = run({ signal: controller.signal });
    await arrived;
    expect(await hasWork()).toBe(false);
    await endProcesses();
    expect(await hasWork()).toBe(true);
    controller.abort();
    await running;
    expect(await hasWork()).toBe(true);
    await setPaused(database.client, "fetch", new Date());
    expect(await hasWork()).toBe(false);
  });

  it("record a failure for a vendor whose file ends every process, and go on with the others", async () => {
    await start(3);
    const queues = await openQueues(context());
    const { id, slug } = await database.client.vendor.findFirstOrThrow();
    await queues.boss.insert("fetch", [{ singletonKey: id, data: { vendorId: id } }]);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(await queues.boss.fetch("fetch")).toHaveLength(1);
      await loseWorkers();
    }
    const status = await readQueueStatus(database.client);
    expect(status.find(({ name }) => name === "fetch-dead")?.waiting).toBe(1);
    await queues.close();
    expect((await run()).summary).toMatchObject({ fetched: 2, left: 0 });
    const [fetch] = await database.client.fetch.findMany({ where: { vendorId: id } });
    expect([slug, fetch?.outcome, fetch?.failure]).toEqual([slug, "failed", "internal_error"]);
    expect(testVendors.requestsOf(slug)).toEqual([]);
  });

  it("wait while the queue is paused, and create no second job for a vendor, whatever is lost", async () => {
    await start(5);
    await setPaused(database.client, "fetch", new Date());
    expect((await run()).summary).toMatchObject({ fetched: 0, left: 5 });
    const status = await readQueueStatus(database.client);
    expect(status.find(({ name }) => name === "fetch")).toMatchObject({
      ...{ waiting: 5, running: 0, failed: 0, pausedAt: expect.any(Date), oldestAt: expect.any(Date) },
    });
    await run();
    expect(await openJobs()).toEqual([{ state: "created", count: 5 }]);
    await database.client.$executeRaw`DELETE FROM pgboss.job`;
    await setPaused(database.client, "fetch", null);
    expect((await run()).summary).toMatchObject({ fetched: 5 });
    await makeDue();
    expect((await run()).summary).toMatchObject({ fetched: 5, unchanged: 5 });
  });

  it("fetch many vendors of one host one after another, and do not hold up other hosts", async () => {
    await start(4);
    const [shared, ...others] = testVendors.vendors as [TestVendor, ...TestVendor[]];
    for (const name of ["a", "b", "c", "d"])
      await addVendor(database.client, { slug: `shared-${name}`, llmsTxtUrl: `${shared.origin}/${name}/llms.txt` });
    // The vendors of the shared host are the longest overdue.
    const slugs = others.map(({ slug }) => slug);
    await database.client.vendor.updateMany({ where: { slug: { in: slugs } }, data: { nextFetchAt: new Date() } });
    const begin = Date.now();
    expect((await run({ concurrency: 2 })).summary).toMatchObject({ fetched: 8, failed: 0, left: 0 });
    const files = testVendors.requests.filter(({ path }) => path !== "/robots.txt");
    const ofShared = files.filter(({ slug }) => slug === shared.slug);
    // A request that arrives late shortens the time to the next one, but none is sent before its time.
    const early = ofShared.filter(({ at }, index) => at.getTime() - begin < index * 990);
    expect([ofShared.length, early]).toEqual([5, []]);
    const lastOther = Math.max(...files.filter(({ slug }) => slug !== shared.slug).map(({ at }) => at.getTime()));
    expect(lastOther).toBeLessThan(ofShared.at(-1)?.at.getTime() ?? 0);
  });
});
