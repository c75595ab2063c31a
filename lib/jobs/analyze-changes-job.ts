import { runConcurrently } from "#lib/platform/run-concurrently";
import { minuteMs } from "#lib/platform/time";
import {
  analyseOne,
  findUnanalysed,
  type IntelligenceReport,
  reanalyse,
  type Subject,
} from "#lib/tracking/intelligence/index";
import { dispatchAnalyses } from "./dispatch-analyses";
import type { CronJob, RunContext, RunSummary } from "./job";
import { analysisContext, createDeliveryStarter } from "./pipeline-context";
import { hasReadyJob, openQueues, TakenJobs } from "./queue/index";

/** Analyses at a time: they compute, or wait for a model. */
const defaultConcurrency = 4;

/** Returns work to run instead of the job's own: analyses the latest versions of the named vendors again. */
export function analysisWork(options: {
  slugs: readonly string[];
  onReport: (report: IntelligenceReport) => void;
}): CronJob["run"] {
  return (context) => reanalyse(analysisContext(context, createDeliveryStarter(context)), options);
}

async function analyseDue(context: RunContext): Promise<RunSummary> {
  const { clock, deadlineMs, signal, concurrency = defaultConcurrency } = context;
  const summary = { analysed: 0, high: 0, failed: 0 };
  const starter = createDeliveryStarter(context);
  const analysis = analysisContext(context, starter);
  const queues = await openQueues(context);
  const taken = new TakenJobs<Subject>(queues, "analyse", context);
  try {
    await dispatchAnalyses(queues, context.database, (limit) => findUnanalysed(context.database, { limit }));
    await runConcurrently({
      take: (limit) => taken.take(limit),
      concurrency: Math.min(concurrency, defaultConcurrency),
      mayTake: () => !signal.aborted && clock.monotonicMs() < deadlineMs,
      work: async (job) => {
        const outcome = await analyseOne(analysis, job.data);
        if (outcome === "failed") summary.failed += 1;
        else if (outcome !== "known") summary.analysed += 1;
        if (outcome === "high") summary.high += 1;
        taken.end(job, "done");
      },
    });
    await starter.settled();
    return summary;
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
  queues: ["analyse"],
  run: analyseDue,
  hasWork: ({ database }) => hasReadyJob(database, "analyse"),
};
