import { AppError } from "#lib/platform/errors";
import { analyzeChangesJob } from "./analyze-changes-job";
import { deliverWebhooksJob } from "./deliver-webhooks-job";
import { fetchVendorsJob } from "./fetch-vendors-job";
import type { CronJob } from "./job";
import { pruneJob } from "./prune-job";
import { verifyFleetJob } from "./verify-fleet-job";

/** Every job, in display order. */
export const cronJobs: readonly CronJob[] = [
  fetchVendorsJob,
  analyzeChangesJob,
  deliverWebhooksJob,
  verifyFleetJob,
  pruneJob,
];

/** Returns the job with a name. Throws AppError not_found, which lists the names. */
export function findJob(name: string): CronJob {
  const job = cronJobs.find((candidate) => candidate.name === name);
  if (job) return job;
  throw new AppError(
    "not_found",
    `There is no job "${name}". The jobs are ${cronJobs.map(({ name: known }) => known).join(", ")}.`,
  );
}
