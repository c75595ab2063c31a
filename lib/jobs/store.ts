import { type Database, queryDirectly } from "#lib/platform/database/index";
import type { InstallationStatus } from "#lib/server/metrics/index";
import { isFollower } from "#lib/tracking/index";
import type { WorkCounts } from "./job";

/** The ended runs of a job on a day, `YYYY-MM-DD` in UTC, and what they did. */
export type RunDayRow = {
  job: string;
  day: string;
  completed: number;
  failed: number;
  workDone: number;
  workFailed: number;
};

/** Returns the days from one on, oldest first: at most one row for each job and day. */
export async function findRunDays(client: Database, from: string): Promise<RunDayRow[]> {
  const rows = await client.runDay.findMany({ where: { day: { gte: new Date(from) } }, orderBy: { day: "asc" } });
  return rows.map(({ day, ...counts }) => ({ ...counts, day: day.toISOString().slice(0, 10) }));
}

/** Deletes the days before that of a time. Returns how many rows were deleted, at most a few for each job and day. */
export async function pruneRunDays(client: Database, before: Date): Promise<number> {
  const { count } = await client.runDay.deleteMany({ where: { day: { lt: before } } });
  return count;
}

/** What is due and what happened, as the statement counts it; `completed`: seconds since the last completed run, by job. */
type Activity = Pick<
  InstallationStatus,
  | ("fetches" | "vendorsDue" | "longestOverdueS")
  | ("deliveriesWaiting" | "oldestDueDeliveryS" | "deliveries" | "mailsWaiting" | "mails")
> & { now: Date; completed: Record<string, number> };

/** A new object of the statement's groups. */
const groups = (select: string) => `(SELECT COALESCE(json_object_agg(name, value), '{}') FROM (${select}) AS grouped)`;
/** Seconds from a time to now, at least 0; 0 for null. */
const secondsSince = (time: string) => `GREATEST(0, COALESCE(extract(epoch FROM now() - ${time}), 0))::float8`;

const vendorIsDue = `status <> 'paused' AND origin <> 'sample' AND next_fetch_at <= now() AND NOT ${isFollower}`;

/**
 * Returns what is due and what happened in the last hour, in one statement. Ids sort by time, so `firstAttemptId`, the
 * lowest id of that hour, makes the attempts an index range.
 */
export async function readActivity(
  client: Database,
  { jobs, firstAttemptId }: { jobs: readonly string[]; firstAttemptId: string },
): Promise<Activity> {
  const text = `SELECT now() AS now,
    ${groups(`SELECT outcome AS name, count(*)::int AS value FROM fetches
      WHERE created_at > now() - interval '1 hour' GROUP BY outcome`)} AS fetches,
    (SELECT count(*)::int FROM vendors v WHERE ${vendorIsDue}) AS "vendorsDue",
    (SELECT ${secondsSince("min(next_fetch_at)")} FROM vendors v WHERE ${vendorIsDue}) AS "longestOverdueS",
    (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'pending') AS "deliveriesWaiting",
    (SELECT ${secondsSince("min(next_attempt_at)")} FROM webhook_deliveries
      WHERE status = 'pending' AND next_attempt_at <= now()) AS "oldestDueDeliveryS",
    ${groups(`SELECT CASE WHEN status = 'pending' THEN 'retrying' ELSE status::text END AS name,
      count(DISTINCT webhook_deliveries.id)::int AS value
      FROM webhook_attempts JOIN webhook_deliveries ON webhook_deliveries.id = delivery_id
      WHERE webhook_attempts.id >= $2::uuid GROUP BY 1`)} AS deliveries,
    (SELECT count(*)::int FROM digest_mails WHERE status = 'pending') AS "mailsWaiting",
    ${groups(`SELECT status::text AS name, count(*)::int AS value FROM digest_mails
      WHERE finished_at > now() - interval '1 hour' GROUP BY status
      UNION ALL SELECT 'retrying', count(*)::int FROM digest_mails WHERE status = 'pending' AND attempt_count > 0`)} AS mails,
    ${groups(`SELECT name, ${secondsSince("finished_at")} AS value FROM unnest($1::text[]) AS name CROSS JOIN LATERAL (
      SELECT finished_at FROM cron_runs WHERE job = name AND status = 'completed' ORDER BY id DESC LIMIT 1
      ) AS run`)} AS completed`;
  const [row] = await queryDirectly(client, { text, values: [[...jobs], firstAttemptId] });
  return row as Activity;
}

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

/** Returns the slugs of the sites that did not respond to the last check. */
export async function findDownSites(client: Database): Promise<ReadonlySet<string>> {
  const rows = await client.fleetMember.findMany({ where: { status: "down" }, select: { slug: true } });
  return new Set(rows.map(({ slug }) => slug));
}

/** Deletes up to `limit` runs that started before `before`. Returns how many were deleted. */
export async function deleteRuns(client: Database, before: Date, limit: number): Promise<number> {
  return client.$executeRaw`
    DELETE FROM cron_runs WHERE id IN (SELECT id FROM cron_runs WHERE started_at < ${before} LIMIT ${limit})`;
}

/** Returns the time of the database's clock. */
export async function readDatabaseTime(client: Database): Promise<Date> {
  const [row] = await client.$queryRaw<[{ now: Date }]>`SELECT now() AS now`;
  return row.now;
}
