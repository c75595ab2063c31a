import { config } from "#lib/platform/config";
import { minuteMs } from "#lib/platform/time";
import { analyseChanges, type IntelligenceReport, prepareBatch, reanalyse } from "#lib/tracking/intelligence/index";
import type { CronJob, RunContext } from "./job";
import { analysisContext, createDeliveryStarter } from "./pipeline-context";

/** Returns work to run instead of the job's own: analyses the latest versions of the named vendors again. */
export function analysisWork(options: {
  slugs: readonly string[];
  onReport: (report: IntelligenceReport) => void;
}): CronJob["run"] {
  return (context) =>
    reanalyse(analysisContext(context, createDeliveryStarter(context), { isOnDemand: true }), options);
}

async function analyze(context: RunContext) {
  const { deadlineMs } = context;
  const { waitingDiffIds } = await prepareBatch({ ...context, settings: config() });
  const starter = createDeliveryStarter(context);
  const summary = await analyseChanges(analysisContext(context, starter), { deadlineMs, waitingDiffIds });
  await starter.settled();
  return { ...summary, waiting: waitingDiffIds.size };
}

export const analyzeChangesJob: CronJob = {
  name: "analyze-changes",
  description: "writes missing reports, and creates webhook events for changes of high significance",
  everyMs: 10 * minuteMs,
  budgetMs: 4 * minuteMs,
  callsInternet: false,
  run: analyze,
};
