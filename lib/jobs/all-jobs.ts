import { AppError } from "#lib/platform/errors";
import { type MailVariables, mailSettings } from "#lib/platform/mail/index";
import { minuteMs, secondMs } from "#lib/platform/time";
import { sendDigests } from "#lib/tracking/digests/index";
import { hasDueDelivery } from "#lib/tracking/webhooks/index";
import { analyzeChangesJob } from "./analyze-changes-job";
import { fetchVendorsJob } from "./fetch-vendors-job";
import type { CronJob } from "./job";
import { deliverDue } from "./pipeline-context";
import { pruneJob } from "./prune-job";
import { verifyFleetJob } from "./verify-fleet-job";

const sendDigestsJob: CronJob = {
  name: "send-digests",
  description: "mails the changes that are due, and retries mails that failed",
  everyMs: minuteMs,
  budgetMs: 4 * minuteMs,
  callsInternet: false,
  run: (context) => sendDigests(context, context),
  isConfigured: (settings) => mailSettings(settings) !== undefined,
};

/** How long a run waits for deliveries to become due: the first retry comes after five seconds. */
const lingerMs = 10 * secondMs;

const deliverWebhooksJob: CronJob = {
  name: "deliver-webhooks",
  description: "sends webhook deliveries that are due, and retries failed ones",
  everyMs: minuteMs,
  budgetMs: 4 * minuteMs,
  callsInternet: false,
  run: (context) => deliverDue(context, { lingerMs }),
  hasWork: ({ database, clock }) => hasDueDelivery(database, clock.now()),
};

/** Every job, in display order. */
export const cronJobs: readonly CronJob[] = [
  fetchVendorsJob,
  analyzeChangesJob,
  deliverWebhooksJob,
  sendDigestsJob,
  verifyFleetJob,
  pruneJob,
];

/** Returns the jobs that do something with this configuration. */
export function configuredJobs(settings: MailVariables): readonly CronJob[] {
  return cronJobs.filter(({ isConfigured }) => isConfigured?.(settings) ?? true);
}

/** Returns the job with a name. Throws AppError not_found, which lists the names. */
export function findJob(name: string): CronJob {
  const job = cronJobs.find((candidate) => candidate.name === name);
  if (job) return job;
  throw new AppError(
    "not_found",
    `There is no job "${name}". The jobs are ${cronJobs.map(({ name: known }) => known).join(", ")}.`,
  );
}
