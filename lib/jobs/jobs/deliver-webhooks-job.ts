import { guardedFetch } from "#lib/platform/outbound/index";
import { minuteMs } from "#lib/platform/time";
import { deliverWebhooks } from "#lib/tracking/webhooks/index";
import type { CronJob, RunContext, RunSummary } from "../job";

/** How long a run waits for what becomes due: the first retry comes after five seconds. */
const jobLingerMs = 10_000;

/** Delivers what is due; also beside another run, for each delivery is in one hand at a time. */
export function deliverDue(context: RunContext, { lingerMs = 0 }: { lingerMs?: number } = {}): Promise<RunSummary> {
  const { database, clock, ids, log, deadlineMs, signal } = context;
  const tools = { fetch: guardedFetch, random: Math.random };
  return deliverWebhooks({ database, clock, ids, log, ...tools }, { deadlineMs, signal, lingerMs });
}

export const deliverWebhooksJob: CronJob = {
  name: "deliver-webhooks",
  description: "sends what webhooks are to be told, again where it failed",
  everyMs: minuteMs,
  budgetMs: 4 * minuteMs,
  callsInternet: false,
  run: (context) => deliverDue(context, { lingerMs: jobLingerMs }),
};
