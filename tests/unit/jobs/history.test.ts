import { expect, it } from "vitest";
import { type CronJob, getCronStatus, readHistory, runJob } from "#lib/jobs/index";
import { startRun, startSharedRun } from "#lib/jobs/store";
import { systemIds } from "#lib/platform/ids";
import { deferred } from "#tests/support/deferred";
import { provideJobRuns } from "#tests/support/job-runs";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const fixture = provideJobRuns("2026-03-01T23:59:00Z");

const job = (name: string, run: CronJob["run"], rest: Partial<CronJob> = {}): CronJob => ({
  name,
  description: "a job",
  everyMs: hourMs,
  budgetMs: hourMs,
  callsInternet: false,
  run,
  ...rest,
});
const succeed = (name: string) =>
  runJob(
    fixture.context,
    job(name, async () => ({ done: 1 })),
  );
const fail = async (name: string) => {
  const broken = job(name, async () => {
    throw new Error("broken");
  });
  await expect(runJob(fixture.context, broken)).rejects.toThrow("broken");
};
/** Starts a run that continues until `end` is called. */
async function openRun(name: string) {
  const end = deferred();
  const started = deferred();
  const work = job(name, async () => {
    started.resolve();
    await end.promise;
    return {};
  });
  const result = runJob(fixture.context, work);
  await started.promise;
  return { result, end: end.resolve };
}
const lineOf = async (name: string) => {
  const { lines } = await readHistory(fixture.database.client, fixture.now);
  return lines.find((line) => line.name === name)?.days ?? [];
};
const known = async (name: string) => (await lineOf(name)).filter(({ state }) => state !== "none");

it("the history has 90 days up to today, of which those without a run are not called ok", async () => {
  await succeed("prune");
  const days = await lineOf("prune");
  expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([90, "2025-12-02", "2026-03-01"]);
  expect(days.slice(0, -1).every(({ state, succeeded, failed }) => state === "none" && succeeded + failed === 0)).toBe(
    true,
  );
  expect(days.at(-1)).toEqual({ day: "2026-03-01", state: "ok", succeeded: 1, failed: 0 });
  expect((await lineOf("verify-fleet")).every(({ state }) => state === "none")).toBe(true);
});

it("a day is partly failed if some runs failed, and failed if all did", async () => {
  await fail("prune");
  expect(await known("prune")).toEqual([{ day: "2026-03-01", state: "failed", succeeded: 0, failed: 1 }]);
  await succeed("prune");
  expect(await known("prune")).toEqual([{ day: "2026-03-01", state: "partial", succeeded: 1, failed: 1 }]);
});

it("a run counts for the day on which it started", async () => {
  const { result, end } = await openRun("prune");
  fixture.now = new Date(fixture.now.getTime() + hourMs);
  end();
  await result;
  expect((await known("prune")).map(({ day }) => day)).toEqual(["2026-03-01"]);
});

it("a run whose process ended is counted once, as failed, also if its end is recorded late", async () => {
  const { result, end } = await openRun("prune");
  fixture.now = new Date(fixture.now.getTime() + hourMs);
  const times = { now: fixture.now, until: new Date(fixture.now.getTime() + hourMs) };
  expect(await startRun(fixture.database.client, { job: "prune", runId: systemIds.next() }, times)).toBe(true);
  end();
  await result;
  expect(await known("prune")).toEqual([{ day: "2026-03-01", state: "failed", succeeded: 0, failed: 1 }]);
});

it("expired runs of a shared job are counted for their own days, and others not at all", async () => {
  const start = (at: Date, expiredAt: Date) =>
    startSharedRun(fixture.database.client, { job: "fetch-vendors", runId: systemIds.next() }, { now: at, expiredAt });
  const never = new Date(0);
  await start(new Date(fixture.now.getTime() - 2 * dayMs), never);
  await start(new Date(fixture.now.getTime() - 2 * dayMs), never);
  await start(new Date(fixture.now.getTime() - dayMs), never);
  await start(fixture.now, never);
  await start(fixture.now, new Date(fixture.now.getTime() - hourMs));
  expect(await known("fetch-vendors")).toEqual([
    { day: "2026-02-27", state: "failed", succeeded: 0, failed: 2 },
    { day: "2026-02-28", state: "failed", succeeded: 0, failed: 1 },
  ]);
});

it("fetches of all runs are added up, and are ok if at least nine of ten succeeded", async () => {
  const fetchRun = (done: number, failed: number) =>
    runJob(
      fixture.context,
      job("fetch-vendors", async () => ({ done, failed }), {
        queues: ["fetch"],
        countWork: (summary) => ({ done: summary.done ?? 0, failed: summary.failed ?? 0 }),
      }),
    );
  await Promise.all([fetchRun(8, 1), fetchRun(1, 0)]);
  const day = "2026-03-01";
  expect(await known("All fetches")).toEqual([{ day, state: "ok", succeeded: 9, failed: 1 }]);
  await fetchRun(0, 1);
  expect(await known("All fetches")).toEqual([{ day, state: "partial", succeeded: 9, failed: 2 }]);
  expect(await known("fetch-vendors")).toEqual([{ day, state: "ok", succeeded: 3, failed: 0 }]);
});

it("the status of jobs includes the history only on request", async () => {
  await succeed("prune");
  await fail("prune");
  const withHistory = await getCronStatus(fixture.context, { query: { include: "history" } });
  expect(withHistory.jobs[0]?.history).toEqual([{ day: "2026-03-01", completed: 1, failed: 1 }]);
  expect((await getCronStatus(fixture.context, { query: {} })).jobs[0]).not.toHaveProperty("history");
});
