import { isBearerSecret } from "#lib/platform/bearer-secret";
import { config } from "#lib/platform/config";
import { requireJobDatabase } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { minuteMs } from "#lib/platform/time";
import { findJob } from "./all-jobs";
import type { CronContext, CronJob, RunSummary, WorkCounts } from "./job";
import type { CronRunAnswer } from "./schemas";
import { endRun, findLatestRuns, renewLease, startRun, startSharedRun } from "./store";

/** How long a lease is valid, in milliseconds. A run renews it four times in that time. */
const defaultLeaseMs = 60_000;
/** Maximum length of a stored error message, in characters. */
const maxErrorLength = 500;

const noWork: WorkCounts = { done: 0, failed: 0 };

export type RunOptions = {
  /** Stops the run early; the next run continues. */
  signal?: AbortSignal;
  /** Replaces the job's own work, under the same lease. */
  work?: CronJob["run"];
  leaseMs?: number;
  /** How much a run does at a time. */
  concurrency?: number | undefined;
  /** Maximum duration, in milliseconds; by default the job's. */
  budgetMs?: number;
};

export type JobRun = { job: string; runId: string; summary: RunSummary };

/** Renews a lease until stopped. Aborts its signal when the lease is lost. */
function keepLease({ database, clock, log }: CronContext, job: string, runId: string, leaseMs: number) {
  const controller = new AbortController();
  const renew = async () => {
    const until = new Date(clock.now().getTime() + leaseMs);
    try {
      if (await renewLease(database, job, runId, until)) return;
      controller.abort(new Error("another run has the lease"));
    } catch (error) {
      log.warn({ err: error, job, runId }, "could not renew the lease of a job run");
    }
  };
  const timer = setInterval(renew, leaseMs / 4);
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}

/** A run that was killed is recorded as failed once it is this much older than its budget. */
const expiryMarginMs = minuteMs;

/**
 * Records the start of a run and takes its lease, unless the job shares its work over queues. Returns a signal that aborts
 * when the lease is lost, and a function that stops renewing it. Throws AppError conflict if the lease is taken.
 */
async function startRecordedRun(
  context: CronContext,
  job: CronJob,
  run: { runId: string; leaseMs: number; budgetMs: number },
): Promise<{ signal?: AbortSignal; stop: () => void }> {
  const { database, clock } = context;
  const { name } = job;
  const { runId, leaseMs, budgetMs } = run;
  const now = clock.now();
  if (job.queues) {
    const expiredAt = new Date(now.getTime() - budgetMs - expiryMarginMs);
    await startSharedRun(database, { job: name, runId }, { now, expiredAt });
    return { stop: () => {} };
  }
  if (!(await startRun(database, { job: name, runId }, { now, until: new Date(now.getTime() + leaseMs) }))) {
    throw new AppError("conflict", `${name} is already running. Try again when it has finished.`);
  }
  return keepLease(context, name, runId, leaseMs);
}

/**
 * Runs a job and records the run: under its lease, unless it shares its work over queues. Throws AppError conflict if the
 * lease is taken. An error of the job is recorded and rethrown.
 */
export async function runJob(context: CronContext, job: CronJob, options: RunOptions = {}): Promise<JobRun> {
  const { database, clock, ids, log } = context;
  const { work = job.run, leaseMs = defaultLeaseMs, budgetMs = job.budgetMs, concurrency } = options;
  const { name } = job;
  const runId = ids.next();
  const lease = await startRecordedRun(context, job, { runId, leaseMs, budgetMs });
  const signal = AbortSignal.any([options.signal, lease.signal].filter((each) => each !== undefined));
  try {
    const summary = await work({ ...context, runId, deadlineMs: clock.monotonicMs() + budgetMs, signal, concurrency });
    const counts = job.countWork?.(summary) ?? noWork;
    const end = { status: "completed", finishedAt: clock.now(), summary, error: null, work: counts } as const;
    await endRun(database, name, runId, end);
    // Runs that found nothing to do are logged at debug level only: some jobs run every minute.
    const level = Object.values(summary).some((count) => count > 0) ? "info" : "debug";
    log[level]({ job: name, runId, ...summary }, "job run finished");
    return { job: name, runId, summary };
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, maxErrorLength);
    const end = { status: "failed", finishedAt: clock.now(), summary: null, error: message, work: noWork } as const;
    await endRun(database, name, runId, end).catch((cause) =>
      log.error({ err: cause, runId }, "could not record the end of the run"),
    );
    throw error;
  } finally {
    lease.stop();
  }
}

/** Returns the jobs whose latest run started at least their interval ago, those that never ran, and those with work. */
async function dueJobs(context: CronContext, jobs: readonly CronJob[]): Promise<CronJob[]> {
  const { database, clock } = context;
  const runs = await findLatestRuns(
    database,
    jobs.map(({ name }) => name),
  );
  const startOf = new Map(runs.map(({ job, startedAt }) => [job, startedAt.getTime()]));
  const nowMs = clock.now().getTime();
  const due: CronJob[] = [];
  for (const job of jobs) {
    const isTime = nowMs - (startOf.get(job.name) ?? Number.NEGATIVE_INFINITY) >= job.everyMs;
    if (isTime || (await job.hasWork?.(context))) due.push(job);
  }
  return due;
}

/**
 * Runs the jobs that are due, one after another. The database has the time of their last runs, so restarts and other
 * machines neither skip nor repeat one. A failing job is logged and does not stop the others.
 */
export async function runDueJobs(
  context: CronContext,
  jobs: readonly CronJob[],
  options: RunOptions & { signal: AbortSignal },
): Promise<void> {
  for (const job of await dueJobs(context, jobs)) {
    if (options.signal.aborted) return;
    try {
      await runJob(context, job, options);
    } catch (error) {
      const isRunningElsewhere = error instanceof AppError && error.code === "conflict";
      if (!isRunningElsewhere) context.log.error({ err: error, job: job.name }, "job run failed");
    }
  }
}

function requireSecret(authorization: string | null): void {
  const { CRON_SECRET: secret } = config();
  if (secret === undefined) throw new AppError("unauthorized", "Set CRON_SECRET on the server to run jobs over HTTP.");
  if (isBearerSecret(authorization, secret)) return;
  throw new AppError("unauthorized", "Send the cron secret: Authorization: Bearer <CRON_SECRET>.");
}

/**
 * Runs a job over HTTP. Throws AppError unauthorized without the cron secret, not_found, conflict if it is running, and
 * service_unavailable if the database does not answer.
 */
export async function runCronJob(
  context: Omit<CronContext, "database">,
  { params, header }: { params: { job: string }; header: (name: string) => string | null },
): Promise<CronRunAnswer> {
  requireSecret(header("authorization"));
  const found = findJob(params.job);
  const database = await requireJobDatabase();
  const { job, runId, summary } = await runJob({ ...context, database }, found);
  return { job, run_id: runId, summary };
}
