import { config } from "#lib/platform/config";
import { minuteMs } from "#lib/platform/time";
import {
  type AnalysisContext,
  analyseChanges,
  createModelAnalyser,
  type IntelligenceReport,
  prepareBatch,
  reanalyse,
} from "#lib/tracking/intelligence/index";
import type { CronJob, RunContext } from "../job";
import { createDeliveryStarter, type DeliveryStarter } from "./delivery-starter";

/** What an analysis within a run gets; `isOnDemand` asks a model at once, whatever waits in a batch. */
export function analysisContext(
  { database, clock, ids, log, signal }: RunContext,
  { start }: DeliveryStarter,
  { isOnDemand = false }: { isOnDemand?: boolean } = {},
): AnalysisContext {
  const model = createModelAnalyser({ database, clock, log, settings: config(), isOnDemand });
  return { database, clock, ids, log, signal, onEvent: start, ...(model && { model }) };
}

/** Work in the job's place: the latest versions of the named vendors are analysed anew. */
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
  description: "writes the reports that are missing, and hands those of high significance to webhooks",
  everyMs: 10 * minuteMs,
  budgetMs: 4 * minuteMs,
  callsInternet: false,
  run: analyze,
};
