import type { Database } from "#lib/platform/database/index";
import type { WorkCounts } from "./job";

type LeaseTimes = { now: Date; until: Date };

/**
 * Acquires the lease of a job and records the run, in one transaction. Returns false if another run holds the lease.
 * Runs with an expired lease become failed.
 */
export async function startRun(
  client: Database,
  { job, runId }: { job: string; runId: string },
  { now, until }: LeaseTimes,
): Promise<boolean> {
  return client.$transaction(async (transaction) => {
    const taken = await transaction.$executeRaw`
      INSERT INTO cron_leases (job, run_id, until) VALUES (${job}, ${runId}::uuid, ${until})
      ON CONFLICT (job) DO UPDATE SET run_id = excluded.run_id, until = excluded.until
      WHERE cron_leases.until <= ${now}`;
    if (taken === 0) return false;
    await expireRuns(transaction, { job, startedBefore: null, now, error: "lease expired" });
    await transaction.cronRun.create({ data: { id: runId, job, status: "running", startedAt: now } });
    return true;
  });
}

/**
 * Records a run of a job that several processes may run at the same time. Runs that started before `expiredAt` and have not
 * ended become failed.
 */
export async function startSharedRun(
  client: Database,
  { job, runId }: { job: string; runId: string },
  { now, expiredAt }: { now: Date; expiredAt: Date },
): Promise<void> {
  await client.$transaction([
    expireRuns(client, { job, startedBefore: expiredAt, now, error: "its process ended" }),
    client.cronRun.create({ data: { id: runId, job, status: "running", startedAt: now } }),
  ]);
}

type Expiry = { job: string; startedBefore: Date | null; now: Date; error: string };

/** Records running runs of a job as failed, all or those that started before a time, and counts each for its day. */
function expireRuns(client: Pick<Database, "$executeRaw">, { job, startedBefore, now, error }: Expiry) {
  return client.$executeRaw`
    WITH ended AS (
      UPDATE cron_runs SET status = 'failed', finished_at = ${now}, error = ${error}
      WHERE job = ${job} AND status = 'running'
        AND (${startedBefore}::timestamptz IS NULL OR started_at < ${startedBefore}::timestamptz)
      RETURNING job, started_at)
    INSERT INTO run_days AS days (job, day, failed)
    SELECT job, (started_at AT TIME ZONE 'UTC')::date AS day, count(*)::int FROM ended GROUP BY 1, 2 ORDER BY 2
    ON CONFLICT (job, day) DO UPDATE SET failed = days.failed + excluded.failed`;
}

/** Renews a lease. Returns false if another run holds it. */
export async function renewLease(client: Database, job: string, runId: string, until: Date): Promise<boolean> {
  const { count } = await client.cronLease.updateMany({ where: { job, runId }, data: { until } });
  return count === 1;
}

type RunEnd = {
  status: "completed" | "failed";
  finishedAt: Date;
  summary: Record<string, number> | null;
  error: string | null;
  /** Counted for the day: see `CronJob`. */
  work: WorkCounts;
};

/**
 * Records the end of a run, counts it for its day, and releases its lease. A run that was marked as expired stays failed,
 * and is not counted again.
 */
export async function endRun(client: Database, job: string, runId: string, end: RunEnd): Promise<void> {
  const { status, finishedAt, error, work } = end;
  const summary = end.summary && JSON.stringify(end.summary);
  await client.$transaction([
    client.$executeRaw`
      WITH ended AS (
        UPDATE cron_runs SET status = ${status}::cron_run_status, finished_at = ${finishedAt}, error = ${error},
          summary = ${summary}::jsonb
        WHERE id = ${runId}::uuid AND status = 'running' RETURNING job, started_at)
      INSERT INTO run_days AS days (job, day, completed, failed, work_done, work_failed)
      SELECT job, (started_at AT TIME ZONE 'UTC')::date, ${status === "completed" ? 1 : 0}::int,
        ${status === "failed" ? 1 : 0}::int, ${work.done}::int, ${work.failed}::int FROM ended
      ON CONFLICT (job, day) DO UPDATE SET completed = days.completed + excluded.completed,
        failed = days.failed + excluded.failed, work_done = days.work_done + excluded.work_done,
        work_failed = days.work_failed + excluded.work_failed`,
    client.cronLease.deleteMany({ where: { job, runId } }),
  ]);
}

/** Returns the latest run of each job that has one. */
export async function findLatestRuns(client: Database, jobs: readonly string[]) {
  const runs = await Promise.all(
    jobs.map((job) => client.cronRun.findFirst({ where: { job }, orderBy: { id: "desc" } })),
  );
  return runs.flatMap((run) => (run ? [run] : []));
}

/** Deletes up to `limit` runs that started before `before`. Returns how many were deleted. */
export async function deleteRuns(client: Database, before: Date, limit: number): Promise<number> {
  return client.$executeRaw`
    DELETE FROM cron_runs WHERE id IN (SELECT id FROM cron_runs WHERE started_at < ${before} LIMIT ${limit})`;
}
