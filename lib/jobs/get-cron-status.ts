import type { Database } from "#lib/platform/database/index";
import { cronJobs } from "./all-jobs";
import { type CronStatus, cronJobSchema } from "./schemas";
import { findLatestRuns } from "./store";

const summarySchema = cronJobSchema.shape.summary;

/** Returns the latest run of each job. Jobs that never ran are left out. */
export async function getCronStatus({ database }: { database: Database }): Promise<CronStatus> {
  const names = cronJobs.map(({ name }) => name);
  const runs = await findLatestRuns(database, names);
  return {
    jobs: runs.map(({ job, startedAt, finishedAt, status, summary, error }) => ({
      name: job,
      last_run_at: startedAt.toISOString(),
      finished_at: finishedAt?.toISOString() ?? null,
      status,
      summary: summarySchema.parse(summary),
      error,
    })),
  };
}
