import { AppError } from "#lib/platform/errors";
import type { CronContext, CronJob, RunSummary } from "./job";
import { beginRun, endRun, renewLease } from "./store";

/** How long a run counts as alive after it last said so, in milliseconds; it says so four times in that time. */
const defaultLeaseMs = 60_000;
/** What operators read of an error, at most, in characters. */
const maxErrorLength = 500;

export type RunOptions = {
  /** Stops the run early; what is left is for the next one. */
  signal?: AbortSignal;
  /** Does this in place of the job's own work, under its lease. */
  work?: CronJob["run"];
  leaseMs?: number;
};

export type JobRun = { job: string; runId: string; summary: RunSummary };

/** Keeps a lease alive until it is told to stop; aborts where the lease is lost. */
function keepLease({ database, clock, log }: CronContext, job: string, runId: string, leaseMs: number) {
  const controller = new AbortController();
  const renew = async () => {
    const until = new Date(clock.now().getTime() + leaseMs);
    try {
      if (await renewLease(database, job, runId, until)) return;
      controller.abort(new Error("another run has the lease"));
    } catch (error) {
      log.warn({ err: error, job, runId }, "a cron lease could not be renewed");
    }
  };
  const timer = setInterval(renew, leaseMs / 4);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}

/**
 * Runs a job under its lease and keeps a record of the run. Throws AppError conflict where a run is under way; an error
 * of the job is written down and thrown on.
 */
export async function runJob(
  context: CronContext,
  job: CronJob,
  { signal: stopSignal, work = job.run, leaseMs = defaultLeaseMs }: RunOptions = {},
): Promise<JobRun> {
  const { database, clock, ids, log } = context;
  const { name, budgetMs } = job;
  const runId = ids.next();
  const now = clock.now();
  if (!(await beginRun(database, { job: name, runId }, { now, until: new Date(now.getTime() + leaseMs) }))) {
    throw new AppError("conflict", `${name} is running already. Try again when it is done.`);
  }
  const lease = keepLease(context, name, runId, leaseMs);
  const signal = stopSignal ? AbortSignal.any([stopSignal, lease.signal]) : lease.signal;
  try {
    const summary = await work({ ...context, runId, deadlineMs: clock.monotonicMs() + budgetMs, signal });
    await endRun(database, name, runId, { status: "completed", finishedAt: clock.now(), summary, error: null });
    // A run every minute that finds nothing to do is no news.
    const level = Object.values(summary).some((count) => count > 0) ? "info" : "debug";
    log[level]({ job: name, runId, ...summary }, "a cron run is done");
    return { job: name, runId, summary };
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, maxErrorLength);
    const end = { status: "failed", finishedAt: clock.now(), summary: null, error: message } as const;
    await endRun(database, name, runId, end).catch((cause) => log.error({ err: cause, runId }, "a run's end is lost"));
    throw error;
  } finally {
    lease.stop();
  }
}
