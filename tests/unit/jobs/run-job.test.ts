import { once } from "node:events";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type CronContext, type CronJob, getCronStatus, runJob } from "#lib/jobs/index";
import { systemClock } from "#lib/platform/clock";
import { systemIds } from "#lib/platform/ids";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { deferred } from "#tests/support/deferred";

const minuteMs = 60_000;
let database: TestDatabase;
let now: Date;
let context: CronContext;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.client.cronRun.deleteMany();
  await database.client.cronLease.deleteMany();
  now = new Date("2026-03-01T00:00:00Z");
  context = {
    ...{ database: database.client, ids: systemIds, log: pino({ level: "silent" }) },
    clock: { ...systemClock, now: () => now },
    ...{ origin: "http://127.0.0.1:3000", siteUrls: {} },
  };
});

const job = (run: CronJob["run"]): CronJob => ({
  ...{ name: "prune", description: "a job", everyMs: minuteMs, budgetMs: minuteMs, callsInternet: false, run },
});
const runs = () => database.client.cronRun.findMany({ orderBy: { id: "asc" } });

/** Starts a run that continues until `end` is called. */
function openRun(options: Parameters<typeof runJob>[2] = {}) {
  const started = deferred<AbortSignal>();
  const end = deferred();
  const work: CronJob["run"] = async ({ signal }) => {
    started.resolve(signal);
    await end.promise;
    return { done: 1 };
  };
  return { result: runJob(context, job(work), options), started: started.promise, end: end.resolve };
}

describe("a run", () => {
  it("is recorded with its summary", async () => {
    const { runId } = await runJob(
      context,
      job(async ({ runId: own, deadlineMs, clock }) => {
        expect(deadlineMs - clock.monotonicMs()).toBeGreaterThan(minuteMs - 1_000);
        expect(await runs()).toMatchObject([{ id: own, status: "running", startedAt: now, finishedAt: null }]);
        return { deleted: 3 };
      }),
    );
    const finished = { status: "completed", finishedAt: now, summary: { deleted: 3 }, error: null };
    expect(await runs()).toMatchObject([{ id: runId, job: "prune", ...finished }]);
    expect(await database.client.cronLease.count()).toBe(0);
    expect(await getCronStatus(context, { query: {} })).toEqual({
      jobs: [
        {
          ...{ name: "prune", status: "completed", summary: { deleted: 3 }, error: null },
          ...{ last_run_at: now.toISOString(), finished_at: now.toISOString() },
        },
      ],
    });
  });

  it("that fails is recorded with its error, and the next run can start", async () => {
    const broken = job(async () => {
      throw new Error("the disk is full");
    });
    await expect(runJob(context, broken)).rejects.toThrow("the disk is full");
    expect(await runs()).toMatchObject([{ status: "failed", error: "the disk is full", finishedAt: now }]);
    await expect(runJob(context, broken)).rejects.toThrow("the disk is full");
  });

  it("keeps further runs of its job from starting; those leave no record", async () => {
    const first = openRun();
    await first.started;
    await expect(
      runJob(
        context,
        job(async () => ({})),
      ),
    ).rejects.toMatchObject({ code: "conflict" });
    expect(await runs()).toHaveLength(1);
    first.end();
    await first.result;
  });

  it("is the only one of ten concurrent starts", async () => {
    const end = deferred();
    const work = job(async () => {
      await end.promise;
      return {};
    });
    let refusedCount = 0;
    const starts = Array.from({ length: 10 }, () =>
      runJob(context, work).catch(({ code }) => {
        if (code === "conflict") refusedCount += 1;
        if (refusedCount === 9) end.resolve();
      }),
    );
    await Promise.all(starts);
    expect(refusedCount).toBe(9);
    expect(await runs()).toMatchObject([{ status: "completed" }]);
  });

  it("whose lease has expired is marked as failed by the next start", async () => {
    const dead = systemIds.next();
    await database.client.cronRun.create({ data: { id: dead, job: "prune", status: "running", startedAt: now } });
    const until = new Date(now.getTime() + minuteMs);
    await database.client.cronLease.create({ data: { job: "prune", runId: dead, until } });
    await expect(
      runJob(
        context,
        job(async () => ({})),
      ),
    ).rejects.toMatchObject({ code: "conflict" });
    now = until;
    await runJob(
      context,
      job(async () => ({ deleted: 1 })),
    );
    expect(await runs()).toMatchObject([
      { id: dead, status: "failed", error: "lease expired", finishedAt: now },
      { status: "completed" },
    ]);
  });

  it("renews its lease while it runs", async () => {
    const first = openRun({ leaseMs: 40 });
    await first.started;
    now = new Date(now.getTime() + 5 * minuteMs);
    await vi.waitFor(async () => {
      const lease = await database.client.cronLease.findUniqueOrThrow({ where: { job: "prune" } });
      expect(lease.until.getTime()).toBeGreaterThan(now.getTime());
    });
    first.end();
    await first.result;
  });

  it("that has lost its lease is aborted, and does not change the record of the other run", async () => {
    const first = openRun({ leaseMs: 40 });
    const signal = await first.started;
    const other = systemIds.next();
    await database.client.cronLease.update({ where: { job: "prune" }, data: { runId: other } });
    await database.client.cronRun.updateMany({ data: { status: "failed", error: "lease expired" } });
    if (!signal.aborted) await once(signal, "abort");
    first.end();
    await first.result;
    expect(await runs()).toMatchObject([{ status: "failed", error: "lease expired", summary: null }]);
    expect(await database.client.cronLease.findMany()).toMatchObject([{ runId: other }]);
  });
});
