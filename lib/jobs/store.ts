import type { Database } from "#lib/platform/database/index";

type LeaseTimes = { now: Date; until: Date };

/**
 * Takes the lease of a job for a run and writes the run down, both or neither. False where a run that is alive has it.
 * Runs whose lease has passed become failed.
 */
export async function beginRun(
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

/** Moves a lease on; false where another run has it. */
export async function renewLease(client: Database, job: string, runId: string, until: Date): Promise<boolean> {
  const { count } = await client.cronLease.updateMany({ where: { job, runId }, data: { until } });
  return count === 1;
}

export type RunEnd = {
  status: "completed" | "failed";
  finishedAt: Date;
  summary: Record<string, number> | null;
  error: string | null;
};

/** Writes down how a run ended and gives its lease back. A run that was written off as expired stays so. */
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

/** The latest run of each job that has one. */
export async function findLatestRuns(client: Database, jobs: readonly string[]) {
  const runs = await Promise.all(
    jobs.map((job) => client.cronRun.findFirst({ where: { job }, orderBy: { id: "desc" } })),
  );
  return runs.flatMap((run) => (run ? [run] : []));
}

/** Deletes runs that began before a moment, some at a time; gives how many there were. */
export async function deleteRuns(client: Database, before: Date, limit: number): Promise<number> {
  return client.$executeRaw`
    DELETE FROM cron_runs WHERE id IN (SELECT id FROM cron_runs WHERE started_at < ${before} LIMIT ${limit})`;
}
