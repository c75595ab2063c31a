import type { Database } from "#lib/platform/database/index";
import { cronJobs } from "./all-jobs";
import { findLatestRuns } from "./store";

/** The public status of a job. Summaries and errors need a key. */
export type JobStatus = {
  name: string;
  description: string;
  /** Null if the job never ran. */
  lastRun: { at: Date; status: "running" | "completed" | "failed" } | null;
};

/** Returns the status of every job, including those that never ran. */
export async function getJobStatuses({ database }: { database: Database }): Promise<JobStatus[]> {
  const runs = await findLatestRuns(
    database,
    cronJobs.map(({ name }) => name),
  );
  return cronJobs.map(({ name, description }) => {
    const run = runs.find(({ job }) => job === name);
    return { name, description, lastRun: run ? { at: run.startedAt, status: run.status } : null };
  });
}
