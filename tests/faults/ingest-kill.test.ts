import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { decompressText } from "#lib/platform/compress-text";
import { readSnapshotText } from "#lib/tracking/snapshots/index";
import { applyUnified } from "#tests/support/apply-unified";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { deferred } from "#tests/support/deferred";
import { isExtended, repeatedTimeoutMs } from "#tests/support/extended";
import { runCli, runCommand, startCli } from "#tests/support/run-cli";
import { seededRandom } from "#tests/support/seeded-random";
import { startTestVendors, type TestVendors } from "#tests/support/test-vendors";
import { file, late, type VendorAnswer } from "#tests/support/vendor-answers";
import { addVendor } from "#tests/support/vendor-rows";

/** `npm test -- --extended` has the full count. */
const killCount = isExtended ? 50 : 1;
const timeout = repeatedTimeoutMs(killCount);
/** Lanes have separate vendors and databases and run in parallel, because most time is spent starting processes. */
const laneCount = isExtended ? 2 : 1;
const vendorCount = isExtended ? 24 : 8;
/** Requests of a complete run after the first, which has stored the rules of robots.txt: the file of each vendor. */
const requestCount = vendorCount;

/** Runs a command: with several lanes at a time in a process of its own, else in this one, which is cheaper. */
const runToEnd = laneCount > 1 ? runCli : runCommand;

const random = seededRandom("ingest-kill");

/** Responds to this many files of a run, and holds the others, so that the run does not complete before it is killed. */
function answerFirst(count: number): { answer: VendorAnswer; answered: Promise<void> } {
  const { promise: answered, resolve } = deferred();
  const respond = late(5, file());
  let [arrivedCount, answeredCount] = [0, 0];
  const answer: VendorAnswer = async (visit) => {
    arrivedCount += 1;
    if (arrivedCount > count) return;
    await respond(visit);
    answeredCount += 1;
    if (answeredCount === count) resolve();
  };
  return { answer, answered };
}

type Lane = { database: TestDatabase; testVendors: TestVendors };

async function openLane(): Promise<Lane> {
  const database = await createTestDatabase();
  const testVendors = await startTestVendors({ vendorCount });
  for (const { slug, name, url, host } of testVendors.vendors) {
    testVendors.setAnswer(slug, late(5, file()));
    await addVendor(database.client, { slug, name, llmsTxtUrl: url, domain: host });
  }
  return { database, testVendors };
}

const lanes: Lane[] = [];
beforeAll(async () => {
  for (let lane = 0; lane < laneCount; lane += 1) lanes.push(await openLane());
});
afterAll(async () => {
  for (const { database, testVendors } of lanes) {
    await testVendors.close();
    await database.drop();
  }
});

const args = ["cron", "run", "fetch-vendors", "--json"];
const environment = ({ database, testVendors }: Lane) => ({
  DATABASE_URL: database.url,
  LOG_LEVEL: "error",
  OUTBOUND_ALLOWED_HOSTS: testVendors.allowedHosts.join(","),
});

/**
 * Makes every vendor due, as if a killed run had ended a while ago. Its jobs count as not yet tried, because a vendor whose
 * fetch ends five processes is recorded as failed.
 */
async function makeDue({ database }: Lane): Promise<void> {
  const past = new Date(Date.now() - 60_000);
  await database.client.vendor.updateMany({ data: { nextFetchAt: past } });
  await database.client
    .$executeRaw`UPDATE pgboss.job SET heartbeat_on = ${past}, retry_count = 0 WHERE state = 'active'`;
  await database.client.$executeRaw`UPDATE pgboss.queue SET monitor_claim_on = ${past}`;
  await database.client
    .$executeRaw`UPDATE cron_runs SET started_at = started_at - interval '1 hour' WHERE status = 'running'`;
  await database.client.$executeRaw`TRUNCATE host_slots`;
}

/** Checks the invariants that hold at any time. */
async function checkRows({ database }: Lane): Promise<void> {
  const vendors = await database.client.vendor.findMany({
    include: {
      snapshots: { orderBy: { id: "asc" }, select: { id: true } },
      diffs: { orderBy: { id: "asc" }, select: { id: true, previousSnapshotId: true, currentSnapshotId: true } },
      fetches: true,
    },
  });
  for (const { slug, snapshots, diffs, fetches, latestSnapshotId, latestDiffId } of vendors) {
    const pairs = snapshots.slice(1).map(({ id }, index) => [snapshots[index]?.id, id]);
    expect([slug, diffs.map((diff) => [diff.previousSnapshotId, diff.currentSnapshotId])]).toEqual([slug, pairs]);
    expect([slug, latestSnapshotId, latestDiffId]).toEqual([
      slug,
      snapshots.at(-1)?.id ?? null,
      diffs.at(-1)?.id ?? null,
    ]);
    const changed = fetches.filter(({ outcome }) => outcome === "changed").map(({ snapshotId }) => snapshotId);
    expect([slug, changed.sort()]).toEqual([slug, snapshots.map(({ id }) => id)]);
    const runs = fetches.map(({ runId }) => runId);
    expect([slug, new Set(runs).size]).toEqual([slug, runs.length]);
  }
}

/** Checks that the analysis job writes the reports that the killed runs did not, and none a second time. */
async function checkReports(lane: Lane): Promise<void> {
  const { client } = lane.database;
  const countMissing = () => client.diff.count({ where: { analysedAt: null } });
  const missing = await countMissing();
  const { code, stdout } = await runToEnd(["cron", "run", "analyze-changes", "--json"], {
    environment: environment(lane),
  });
  expect([code, JSON.parse(stdout).summary]).toEqual([0, expect.objectContaining({ analysed: missing, failed: 0 })]);
  expect(await countMissing()).toBe(0);
  expect(await client.report.count()).toBe(await client.snapshot.count());
}

/** Kills runs of one lane repeatedly, then lets one run complete. */
async function killThenComplete(lane: Lane, count: number): Promise<void> {
  const { database, testVendors } = lane;
  expect((await runToEnd(args, { environment: environment(lane) })).code).toBe(0);
  for (let round = 0; round < count; round += 1) {
    await makeDue(lane);
    const { answer, answered } = answerFirst(1 + Math.floor(random() * (requestCount - 1)));
    for (const { slug } of testVendors.vendors) {
      testVendors.setVersion(slug, 2 + round);
      testVendors.setAnswer(slug, answer);
    }
    testVendors.clearRequests();
    const run = startCli(args, { environment: environment(lane) });
    await answered;
    await wait(random() * 10);
    run.process.kill("SIGKILL");
    await run.ended;
    for (const { slug } of testVendors.vendors) {
      const files = testVendors.requestsOf(slug).filter(({ path }) => path === "/llms.txt");
      expect([slug, files.length <= 1]).toEqual([slug, true]);
    }
    await checkRows(lane);
  }

  await makeDue(lane);
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, late(5, file()));
  const { code, stdout } = await runToEnd(args, { environment: environment(lane) });
  expect([code, JSON.parse(stdout).summary]).toEqual([
    0,
    expect.objectContaining({ fetched: vendorCount, failed: 0, left: 0 }),
  ]);
  await checkRows(lane);
  const announced = await database.client.notification.count();
  expect([announced, await database.client.unannouncedChange.count()]).toEqual([
    await database.client.snapshot.count(),
    0,
  ]);
  await checkReports(lane);
  for (const { slug } of testVendors.vendors) {
    const { latestSnapshot, latestDiff } = await database.client.vendor.findUniqueOrThrow({
      where: { slug },
      include: { latestSnapshot: true, latestDiff: true },
    });
    const text = await readSnapshotText(database.client, latestSnapshot?.id as string);
    expect(text).toBe(testVendors.textOf(slug));
    const before = await readSnapshotText(database.client, latestDiff?.previousSnapshotId as string);
    expect(applyUnified(before, await decompressText(latestDiff?.compressedText as Uint8Array))).toBe(text);
  }
  const runs = await database.client.cronRun.findMany({ orderBy: { id: "asc" } });
  expect(runs.at(-1)?.status).toBe("completed");
  expect(runs.filter(({ status }) => status === "running")).toEqual([]);
  const killed = runs.filter(({ error }) => error === "its process ended").length;
  expect(killed).toBe(count);
}

it(`a run that is killed (${killCount} times) loses nothing, repeats nothing, and continues`, { timeout }, async () => {
  await Promise.all(lanes.map((lane) => killThenComplete(lane, killCount / laneCount)));
});
