import { setTimeout as wait } from "node:timers/promises";
import { minuteMs, secondMs } from "#lib/platform/time";
import type { CronContext, CronJob } from "./job";
import { runDueJobs } from "./run-job";

/** Interval of checking whether a job is due, and whether its queues have work. */
const checkIntervalMs = 30 * secondMs;
const queueCheckIntervalMs = 2 * secondMs;
/** A run that still has work ends after this time and is followed by another, so that its record is written. */
export const workerBudgetMs = 10 * minuteMs;

type WorkOptions = { jobs: readonly CronJob[]; concurrency?: number | undefined; signal: AbortSignal };

/**
 * Runs jobs whenever they are due, until the signal is aborted. Any number of processes may do so: they share the work of
 * the queues, and of other jobs one process at a time does a run. Each job has its own loop, so that a long run does not
 * delay the others.
 */
export async function work(context: CronContext, { jobs, concurrency, signal }: WorkOptions): Promise<void> {
  const runLoop = async (job: CronJob) => {
    const options = { signal, concurrency, ...(job.queues && { budgetMs: workerBudgetMs }) };
    while (!signal.aborted) {
      await runDueJobs(context, [job], options).catch((error: unknown) =>
        context.log.warn({ err: error, job: job.name }, "could not check whether the job is due"),
      );
      await wait(job.hasWork ? queueCheckIntervalMs : checkIntervalMs, undefined, { signal }).catch(() => {});
    }
  };
  await Promise.all(jobs.map(runLoop));
}
