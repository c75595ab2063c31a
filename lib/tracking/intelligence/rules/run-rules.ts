import { defaultWorkerLimits, minWorkerLength, runInWorker } from "#lib/platform/run-worker";
import type { Analysis, Change } from "../analysis";
import { analyseByRules } from "./analyse-by-rules";

const entry = { name: "rules-worker", moduleUrl: import.meta.url };

/**
 * Analyses a change by rules. Large texts would block the thread, so they are handled in a worker thread. Throws
 * WorkerError for texts that need more time or memory than the limits allow.
 */
export async function runRules(change: Change): Promise<Analysis> {
  if ((change.before?.length ?? 0) + change.after.length < minWorkerLength) return analyseByRules(change);
  return runInWorker<Analysis>(entry, change, defaultWorkerLimits);
}
