import { AppError } from "#lib/platform/errors";
import type { CronContext, CronJob } from "./job";
import { runJob } from "./run-job";
import { findLatestRuns } from "./store";

/** Returns the jobs whose latest run started at least their interval ago, and those that never ran. */
async function dueJobs({ database, clock }: CronContext, jobs: readonly CronJob[]): Promise<CronJob[]> {
  const runs = await findLatestRuns(
    database,
    jobs.map(({ name }) => name),
  );
  const startOf = new Map(runs.map(({ job, startedAt }) => [job, startedAt.getTime()]));
  const nowMs = clock.now().getTime();
  return jobs.filter(({ name, everyMs }) => nowMs - (startOf.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs);
}

/**
 * Runs the jobs that are due, one after another. The database has the time of their last runs, so restarts and other
 * machines neither skip nor repeat one. A failing job is logged and does not stop the others.
 */
export async function runDueJobs(context: CronContext, jobs: readonly CronJob[], signal: AbortSignal): Promise<void> {
  for (const job of await dueJobs(context, jobs)) {
    if (signal.aborted) return;
    try {
      await runJob(context, job, { signal });
    } catch (error) {
      const isRunningElsewhere = error instanceof AppError && error.code === "conflict";
      if (!isRunningElsewhere) context.log.error({ err: error, job: job.name }, "cron run failed");
    }
  }
}
