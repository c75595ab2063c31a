import { config } from "#lib/platform/config";
import { runConcurrently } from "#lib/platform/run-concurrently";
import { minuteMs } from "#lib/platform/time";
import {
  analyseOne,
  findUnanalysed,
  type IntelligenceReport,
  prepareBatch,
  reanalyse,
  type Subject,
} from "#lib/tracking/intelligence/index";
import { dispatchAnalyses } from "./dispatch-analyses";
import type { CronJob, RunContext, RunSummary } from "./job";
import { analysisContext, createDeliveryStarter } from "./pipeline-context";
import { dispatch, hasReadyJob, openQueues, type Queues, TakenJobs } from "./queue/index";

/** Analyses at a time: they compute, or wait for a model. */
const defaultConcurrency = 4;

/** Returns work to run instead of the job's own: analyses the latest versions of the named vendors again. */
export function analysisWork(options: {
  slugs: readonly string[];
  onReport: (report: IntelligenceReport) => void;
}): CronJob["run"] {
  return (context) =>
    reanalyse(analysisContext(context, createDeliveryStarter(context), { isOnDemand: true }), options);
}

/**
 * Collects and submits batches of questions to a model, and creates jobs for all that is due and not in a batch. Only one
 * process does so at a time; the others work on the jobs. Returns the number of changes that wait for a batch.
 */
async function dispatchDue(queues: Queues, context: RunContext): Promise<number> {
  const { database } = context;
  await dispatch(queues, database, "batches", async () => [{ key: "model", data: {} }]);
  const batches = new TakenJobs(queues, "batches", context);
  try {
    const [job] = await batches.take(1);
    if (!job) return 0;
    const { waitingDiffIds } = await prepareBatch({ ...context, settings: config() });
    await dispatchAnalyses(queues, database, (limit) => findUnanalysed(database, { limit, waitingDiffIds }));
    batches.complete(job);
    return waitingDiffIds.size;
  } finally {
    await batches.close();
  }
}

async function analyseDue(context: RunContext): Promise<RunSummary> {
  const { clock, deadlineMs, signal, concurrency = defaultConcurrency } = context;
  const summary = { analysed: 0, high: 0, failed: 0 };
  const starter = createDeliveryStarter(context);
  const analysis = analysisContext(context, starter);
  const queues = await openQueues(context);
  const taken = new TakenJobs<Subject>(queues, "analyse", context);
  try {
    const waiting = await dispatchDue(queues, context);
    await runConcurrently({
      take: (limit) => taken.take(limit),
      concurrency: Math.min(concurrency, defaultConcurrency),
      mayTake: () => !signal.aborted && clock.monotonicMs() < deadlineMs,
      work: async (job) => {
        const outcome = await analyseOne(analysis, job.data);
        if (outcome === "failed") summary.failed += 1;
        else if (outcome !== "known") summary.analysed += 1;
        if (outcome === "high") summary.high += 1;
        taken.complete(job);
      },
    });
    await starter.settled();
    return { ...summary, waiting };
  } finally {
    await taken.close();
    await queues.close();
  }
}

export const analyzeChangesJob: CronJob = {
  name: "analyze-changes",
  description: "writes missing reports, and creates webhook events for changes of high significance",
  everyMs: 10 * minuteMs,
  budgetMs: 4 * minuteMs,
  callsInternet: false,
  queues: ["analyse", "batches"],
  run: analyseDue,
  hasWork: ({ database }) => hasReadyJob(database, "analyse"),
};
