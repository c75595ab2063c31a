import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { type CronJob, getCronStatus, runJob } from "#lib/jobs/index";
import { systemIds } from "#lib/platform/ids";
import { deferred } from "#tests/support/deferred";
import { eventually } from "#tests/support/eventually";
import { provideJobRuns } from "#tests/support/job-runs";

const minuteMs = 60_000;
const fixture = provideJobRuns("2026-03-01T00:00:00Z");

const job = (run: CronJob["run"]): CronJob => ({
  name: "prune",
  description: "a job",
  everyMs: minuteMs,
  budgetMs: minuteMs,
  callsInternet: false,
  run,
});
const run = (work: CronJob["run"]) => runJob(fixture.context, job(work));
const runs = () => fixture.database.client.cronRun.findMany({ orderBy: { id: "asc" } });

/** Starts a run that continues until `end` is called. */
function openRun(options: Parameters<typeof runJob>[2] = {}) {
  const started = deferred<AbortSignal>();
  const end = deferred();
  const work: CronJob["run"] = async ({ signal }) => {
    started.resolve(signal);
    await end.promise;
    return { done: 1 };
  };
  return { result: runJob(fixture.context, job(work), options), started: started.promise, end: end.resolve };
}

describe("a run", () => {
  it("is recorded with its summary", async () => {
    const { runId } = await run(async ({ runId: own, deadlineMs, clock }) => {
      expect(deadlineMs - clock.monotonicMs()).toBeGreaterThan(minuteMs - 1_000);
      expect(await runs()).toMatchObject([{ id: own, status: "running", startedAt: fixture.now, finishedAt: null }]);
      return { deleted: 3 };
    });
    const finished = { status: "completed", finishedAt: fixture.now, summary: { deleted: 3 }, error: null };
    expect(await runs()).toMatchObject([{ id: runId, job: "prune", ...finished }]);
    expect(await fixture.database.client.cronLease.count()).toBe(0);
    expect(await getCronStatus(fixture.context, { query: {} })).toEqual({
      jobs: [
        {
          name: "prune",
          status: "completed",
          summary: { deleted: 3 },
          error: null,
          last_run_at: fixture.now.toISOString(),
          finished_at: fixture.now.toISOString(),
        },
      ],
    });
  });

  it("that fails is recorded with its error, and the next run can start", async () => {
    const broken = async () => {
      throw new Error("the disk is full");
    };
    await expect(run(broken)).rejects.toThrow("the disk is full");
    expect(await runs()).toMatchObject([{ status: "failed", error: "the disk is full", finishedAt: fixture.now }]);
    await expect(run(broken)).rejects.toThrow("the disk is full");
  });

  it("keeps further runs of its job from starting; those leave no record", async () => {
    const first = openRun();
    await first.started;
    await expect(run(async () => ({}))).rejects.toMatchObject({ code: "conflict" });
    expect(await runs()).toHaveLength(1);
    first.end();
    await first.result;
  });

  it("is the only one of ten concurrent starts", async () => {
    const end = deferred();
    const work = async () => {
      await end.promise;
      return {};
    };
    let refusedCount = 0;
    const starts = Array.from({ length: 10 }, () =>
      run(work).catch(({ code }) => {
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
    await fixture.database.client.cronRun.create({
      data: { id: dead, job: "prune", status: "running", startedAt: fixture.now },
    });
    const until = new Date(fixture.now.getTime() + minuteMs);
    await fixture.database.client.cronLease.create({ data: { job: "prune", runId: dead, until } });
    await expect(run(async () => ({}))).rejects.toMatchObject({ code: "conflict" });
    fixture.now = until;
    await run(async () => ({ deleted: 1 }));
    expect(await runs()).toMatchObject([
      { id: dead, status: "failed", error: "lease expired", finishedAt: fixture.now },
      { status: "completed" },
    ]);
  });

  it("renews its lease while it runs", async () => {
    const first = openRun({ leaseMs: 40 });
    await first.started;
    fixture.now = new Date(fixture.now.getTime() + 5 * minuteMs);
    await eventually(async () => {
      const lease = await fixture.database.client.cronLease.findUniqueOrThrow({ where: { job: "prune" } });
      expect(lease.until.getTime()).toBeGreaterThan(fixture.now.getTime());
    });
    first.end();
    await first.result;
  });

  it("that has lost its lease is aborted, and does not change the record of the other run", async () => {
    const first = openRun({ leaseMs: 40 });
    const signal = await first.started;
    const other = systemIds.next();
    await fixture.database.client.cronLease.update({ where: { job: "prune" }, data: { runId: other } });
    await fixture.database.client.cronRun.updateMany({ data: { status: "failed", error: "lease expired" } });
    if (!signal.aborted) await once(signal, "abort");
    first.end();
    await first.result;
    expect(await runs()).toMatchObject([{ status: "failed", error: "lease expired", summary: null }]);
    expect(await fixture.database.client.cronLease.findMany()).toMatchObject([{ runId: other }]);
  });
});
