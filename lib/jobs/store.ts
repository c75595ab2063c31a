import type { Database } from "#lib/platform/database/index";

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
    await transaction.cronRun.updateMany({
      where: { job, status: "running" },
      data: { status: "failed", finishedAt: now, error: "lease expired" },
    });
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
    client.cronRun.updateMany({
      where: { job, status: "running", startedAt: { lt: expiredAt } },
      data: { status: "failed", finishedAt: now, error: "its process ended" },
    }),
    client.cronRun.create({ data: { id: runId, job, status: "running", startedAt: now } }),
  ]);
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
};

/** Records the end of a run and releases its lease. A run that was marked as expired stays failed. */
export async function endRun(client: Database, job: string, runId: string, end: RunEnd): Promise<void> {
  const { summary, ...columns } = end;
  await client.$transaction([
    client.cronRun.updateMany({
      where: { id: runId, status: "running" },
      data: { ...columns, ...(summary && { summary }) },
    }),
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
