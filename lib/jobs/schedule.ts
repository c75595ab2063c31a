import type { Config } from "#lib/platform/config";
import type { MailVariables } from "#lib/platform/mail/index";
import { configuredJobs } from "./all-jobs";
import { fetchVendorsJob } from "./fetch-vendors-job";
import type { CronJob } from "./job";
import type { QueueName } from "./queue/index";
import { verifyFleetJob } from "./verify-fleet-job";

type ScheduleSettings = Pick<Config, "CRON" | "DATABASE_URL"> & MailVariables;

/** Returns the jobs to run on this machine. On the embedded database, jobs that need the internet run only with CRON=on. */
export function scheduledJobs(settings: ScheduleSettings): CronJob[] {
  const { CRON, DATABASE_URL } = settings;
  if (CRON === "off") return [];
  const allowsInternet = CRON === "on" || DATABASE_URL !== undefined;
  return configuredJobs(settings).filter(({ callsInternet }) => allowsInternet || !callsInternet);
}

/**
 * Returns the jobs of a worker: with `queues`, only those that work on one of them. The fleet is only verified where the
 * address of the server is known, which `npm run up` has in common with its worker.
 */
export function workerJobs(
  settings: ScheduleSettings,
  { queues, isBesideServer }: { queues?: readonly QueueName[] | undefined; isBesideServer: boolean },
): CronJob[] {
  const knowsAddress = isBesideServer || settings.BASE_URL !== undefined;
  return scheduledJobs(settings)
    .filter((job) => knowsAddress || job !== verifyFleetJob)
    .filter((job) => !queues || job.queues?.some((name) => queues.includes(name)));
}

/**
 * Returns what `npm run up` tells its server about the fetching of vendors' files. Undefined if it starts no fetching worker
 * for an external database, where other machines may fetch.
 */
export function fetchingOf(settings: ScheduleSettings): "on" | "off" | undefined {
  if (scheduledJobs(settings).includes(fetchVendorsJob)) return "on";
  return settings.DATABASE_URL === undefined ? "off" : undefined;
}
