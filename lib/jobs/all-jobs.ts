import { AppError } from "#lib/platform/errors";
import type { MailVariables } from "#lib/platform/mail/index";
import { analyzeChangesJob } from "./analyze-changes-job";
import { deliverWebhooksJob } from "./deliver-webhooks-job";
import { fetchVendorsJob } from "./fetch-vendors-job";
import type { CronJob } from "./job";
import { pruneJob } from "./prune-job";
import { sendDigestsJob } from "./send-digests-job";
import { verifyFleetJob } from "./verify-fleet-job";

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
