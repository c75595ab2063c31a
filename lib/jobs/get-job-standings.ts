import type { Database } from "#lib/platform/database/index";
import { cronJobs } from "./jobs/all-jobs";
import { findLatestRuns } from "./store";

/** What everybody may know of a job: what it counted, and why it failed, is for keys and operators. */
export type JobStanding = {
  name: string;
  description: string;
  /** Null: it never ran. */
  lastRun: { at: Date; status: "running" | "completed" | "failed" } | null;
};

/** How every job stands, those that never ran included. */
export async function getJobStandings({ database }: { database: Database }): Promise<JobStanding[]> {
  const runs = await findLatestRuns(
    database,
    cronJobs.map(({ name }) => name),
  );
  return cronJobs.map(({ name, description }) => {
    const run = runs.find(({ job }) => job === name);
    return { name, description, lastRun: run ? { at: run.startedAt, status: run.status } : null };
  });
}
