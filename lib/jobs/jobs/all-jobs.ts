import { AppError } from "#lib/platform/errors";
import type { CronJob } from "../job";
import { analyzeChangesJob } from "./analyze-changes-job";
import { deliverWebhooksJob } from "./deliver-webhooks-job";
import { fetchVendorsJob } from "./fetch-vendors-job";
import { pruneJob } from "./prune-job";
import { verifyFleetJob } from "./verify-fleet-job";

/** Every job, in the order in which they are shown. */
export const cronJobs: readonly CronJob[] = [
  fetchVendorsJob,
  analyzeChangesJob,
  deliverWebhooksJob,
  verifyFleetJob,
  pruneJob,
];

/** The job of a name. Throws AppError not_found, naming those that there are. */
export function findJob(name: string): CronJob {
  const job = cronJobs.find((candidate) => candidate.name === name);
  if (job) return job;
  throw new AppError(
    "not_found",
    `There is no job "${name}". The jobs are ${cronJobs.map((one) => one.name).join(", ")}.`,
  );
}
