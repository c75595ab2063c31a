import { setTimeout as wait } from "node:timers/promises";
import { OutageLog } from "#lib/platform/log-failure";
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
  const outage = new OutageLog(context.log, {
    failed: "could not check whether jobs are due; the worker tries again every few seconds",
    works: "the worker checks again whether jobs are due",
  });
  const runLoop = async (job: CronJob) => {
    const options = { signal, concurrency, ...(job.queues && { budgetMs: workerBudgetMs }) };
    while (!signal.aborted) {
      await runDueJobs(context, [job], options).then(
        () => outage.succeeded(),
        (error: unknown) => outage.failed(error),
      );
      await wait(job.hasWork ? queueCheckIntervalMs : checkIntervalMs, undefined, { signal }).catch(() => {});
    }
  };
  await Promise.all(jobs.map(runLoop));
}
