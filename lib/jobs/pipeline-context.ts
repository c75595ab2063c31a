import { config } from "#lib/platform/config";
import { guardedFetch } from "#lib/platform/outbound/index";
import { type AnalysisContext, createModelAnalyser } from "#lib/tracking/intelligence/index";
import { deliverWebhooks } from "#lib/tracking/webhooks/index";
import type { RunContext, RunSummary } from "./job";

/** Sends the deliveries that are due. Safe to run concurrently: each delivery is claimed before it is sent. */
export function deliverDue(context: RunContext, { lingerMs = 0 }: { lingerMs?: number } = {}): Promise<RunSummary> {
  const { deadlineMs, signal } = context;
  return deliverWebhooks({ ...context, fetch: guardedFetch, random: Math.random }, { deadlineMs, signal, lingerMs });
}

/** Starts deliveries as events are created, one batch at a time, instead of waiting for the next run of the job. */
type DeliveryStarter = {
  start: () => void;
  /** Settles when everything started so far has finished. */
  settled: () => Promise<void>;
};

export function createDeliveryStarter(context: RunContext): DeliveryStarter {
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
    settled: async () => batch,
  };
}

/** Returns the context of an analysis within a run. */
export function analysisContext(context: RunContext, { start }: DeliveryStarter): AnalysisContext {
  const model = createModelAnalyser({ ...context, settings: config() });
  return { ...context, onEvent: start, ...(model && { model }) };
}
