import { config } from "#lib/platform/config";
import { guardedFetch } from "#lib/platform/outbound/index";
import { secondMs } from "#lib/platform/time";
import { type AnalysisContext, createModelAnalyser } from "#lib/tracking/intelligence/index";
import { deliverWebhooks } from "#lib/tracking/webhooks/index";
import type { RunContext, RunSummary } from "./job";

/** Sends the deliveries that are due. Safe to run concurrently: each delivery is claimed before it is sent. */
export function deliverDue(context: RunContext, { lingerMs = 0 }: { lingerMs?: number } = {}): Promise<RunSummary> {
  const options = {
    get deadlineMs() {
      return context.deadlineMs;
    },
    signal: context.signal,
    lingerMs,
  };
  return deliverWebhooks({ ...context, fetch: guardedFetch, random: Math.random }, options);
}

/** Starts deliveries as events are created, one batch at a time, instead of waiting for the next run of the job. */
type DeliveryStarter = {
  start: () => void;
  /** Settles when what was started has ended: soon, because deliveries that have not started by then are left to the next run. */
  settled: () => Promise<void>;
};

/** Time for deliveries after the work that created their events: one attempt at a receiver that does not answer, and a few more. */
const settleMs = 20 * secondMs;

export function createDeliveryStarter(given: RunContext): DeliveryStarter {
  // A copy, because its deadline moves, also for deliveries in progress.
  const context = { ...given };
  let batch: Promise<void> | undefined;
  let isRequested = false;
  const run = async () => {
    while (isRequested) {
      isRequested = false;
      await deliverDue(context).catch((error: unknown) =>
        context.log.warn({ err: error }, "could not start deliveries; the next run of deliver-webhooks sends them"),
      );
    }
    batch = undefined;
  };
  return {
    start: () => {
      isRequested = true;
      batch ??= run();
    },
    settled: async () => {
      context.deadlineMs = Math.min(context.deadlineMs, context.clock.monotonicMs() + settleMs);
      await batch;
    },
  };
}

/** Returns the context of an analysis within a run. */
export function analysisContext(context: RunContext, { start }: DeliveryStarter): AnalysisContext {
  const model = createModelAnalyser({ ...context, settings: config() });
  return { ...context, onEvent: start, ...(model && { model }) };
}
