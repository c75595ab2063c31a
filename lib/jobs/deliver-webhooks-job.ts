import { minuteMs, secondMs } from "#lib/platform/time";
import { hasDueDelivery } from "#lib/tracking/webhooks/index";
import type { CronJob } from "./job";
import { deliverDue } from "./pipeline-context";

/** How long a run waits for deliveries to become due: the first retry comes after five seconds. */
const lingerMs = 10 * secondMs;

export const deliverWebhooksJob: CronJob = {
  name: "deliver-webhooks",
  description: "sends webhook deliveries that are due, and retries failed ones",
  everyMs: minuteMs,
  budgetMs: 4 * minuteMs,
  callsInternet: false,
  run: (context) => deliverDue(context, { lingerMs }),
  hasWork: ({ database, clock }) => hasDueDelivery(database, clock.now()),
};
