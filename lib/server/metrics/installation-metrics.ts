import { Gauge, type Registry } from "prom-client";
import type { Clock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { type Database, database } from "#lib/platform/database/index";
import { log } from "#lib/platform/log";
import { OutageLog } from "#lib/platform/log-failure";
import { processSingleton } from "#lib/platform/process-singleton";
import { secondMs } from "#lib/platform/time";
import { withTimeout } from "#lib/platform/with-timeout";
import { createRegistry } from "./process-metrics";

/** What all instances and workers on one database have in common. Ages are in seconds. */
export type InstallationStatus = {
  /** `oldestS` is null without a waiting job. */
  queues: {
    name: string;
    waiting: number;
    running: number;
    failed: number;
    oldestS: number | null;
    isPaused: boolean;
  }[];
  /** Fetches that ended their process each time. */
  deadFetches: number;
  /** Fetches in the last hour, by outcome. */
  fetches: Record<string, number>;
  vendorsDue: number;
  /** How long the vendor waits that has been due longest; 0 if none is due. */
  longestOverdueS: number;
  deliveriesWaiting: number;
  /** How long the delivery waits that has been due longest; 0 if none is due. */
  oldestDueDeliveryS: number;
  /** Deliveries attempted in the last hour, by outcome. */
  deliveries: Record<string, number>;
  /** Mails of digests that are not finished. */
  mailsWaiting: number;
  /** Mails of digests that finished in the last hour, by outcome, and those that are being retried. */
  mails: Record<string, number>;
  /** Time since the end of each job's last completed run; null if none has completed. */
  jobs: { name: string; completedS: number | null }[];
};

export type ReadInstallation = (database: Database, clock: Clock) => Promise<InstallationStatus>;

/** For how long scrapes share what was read. */
export const maxAgeMs = 5 * secondMs;

type Shared = { readAtMs: number; status: Promise<InstallationStatus | undefined>; outage: OutageLog };

/** Reads the status at most every five seconds; scrapes in between share it. Resolves to undefined if the database does not answer. */
export function readShared(
  read: ReadInstallation,
  client: Database,
  clock: Clock,
): Promise<InstallationStatus | undefined> {
  const shared = processSingleton("installation-status", (): Shared => {
    const messages = {
      failed: "could not read the metrics of the installation",
      works: "metrics of the installation are read again",
    };
    return {
      readAtMs: Number.NEGATIVE_INFINITY,
      status: Promise.resolve(undefined),
      outage: new OutageLog(log(), messages),
    };
  });
  const nowMs = clock.monotonicMs();
  if (nowMs - shared.readAtMs < maxAgeMs) return shared.status;
  shared.readAtMs = nowMs;
  shared.status = withTimeout(config().DATABASE_TIMEOUT_MS, () => read(client, clock)).then(
    (status) => {
      shared.outage.succeeded();
      return status;
    },
    (error: unknown) => {
      shared.outage.failed(error);
      return undefined;
    },
  );
  return shared.status;
}

type Labels = Record<string, string>;

/** Returns a function that adds a gauge with its value, or with one for each set of labels. */
function gauges(registry: Registry) {
  return (name: string, help: string, given: number | readonly (readonly [Labels, number | null])[]) => {
    const values = typeof given === "number" ? [[{}, given] as const] : given;
    const labelNames = [...new Set(values.flatMap(([labels]) => Object.keys(labels)))];
    const gauge = new Gauge({ name: `tapedeck_${name}`, help, labelNames, registers: [registry] });
    for (const [labels, value] of values) if (value !== null) gauge.set(labels, value);
  };
}

/** Returns the metrics of the installation; only that the database does not answer if there is no status. */
export function installationRegistry(status: InstallationStatus | undefined): Registry {
  const registry = createRegistry();
  const add = gauges(registry);
  add("database_up", "Whether the database answered with the status of the installation.", status ? 1 : 0);
  if (!status) return registry;
  const { queues, jobs } = status;
  const states = ["waiting", "running", "failed"] as const;
  const byOutcome = (counts: Record<string, number>) =>
    Object.entries(counts).map(([outcome, count]) => [{ outcome }, count] as const);
  add(
    "queue_jobs",
    "Jobs of a queue.",
    queues.flatMap((queue) => states.map((state) => [{ queue: queue.name, state }, queue[state]] as const)),
  );
  add(
    "queue_oldest_job_seconds",
    "Age of the oldest waiting job; 0 if none waits.",
    queues.map(({ name, oldestS }) => [{ queue: name }, oldestS ?? 0]),
  );
  add(
    "queue_paused",
    "Whether an operator has paused the queue.",
    queues.map(({ name, isPaused }) => [{ queue: name }, isPaused ? 1 : 0]),
  );
  add("dead_fetches", "Fetches that were given up because they ended their process each time.", status.deadFetches);
  add("fetches_last_hour", "Fetches in the last hour.", byOutcome(status.fetches));
  add("vendors_due", "Vendors that are due to be fetched.", status.vendorsDue);
  add(
    "vendors_overdue_seconds",
    "How long the vendor waits that has been due longest; 0 if none is due.",
    status.longestOverdueS,
  );
  add("webhook_deliveries_waiting", "Deliveries that are not finished.", status.deliveriesWaiting);
  add(
    "webhook_oldest_due_seconds",
    "How long the delivery waits that has been due longest; 0 if none is due.",
    status.oldestDueDeliveryS,
  );
  add(
    "webhook_deliveries_last_hour",
    "Deliveries attempted in the last hour, by outcome.",
    byOutcome(status.deliveries),
  );
  add("mails_waiting", "Mails of digests that are not finished.", status.mailsWaiting);
  add(
    "mails_last_hour",
    "Mails of digests that finished in the last hour, by outcome, and those that are being retried.",
    byOutcome(status.mails),
  );
  add(
    "job_last_completed_seconds",
    "Time since the end of the job's last completed run; absent before the first.",
    jobs.map(({ name, completedS }) => [{ name }, completedS]),
  );
  return registry;
}

/** Returns the metrics of the installation; undefined if no database is configured. */
export async function readInstallationMetrics(read: ReadInstallation, clock: Clock): Promise<Registry | undefined> {
  const client = database();
  return client && installationRegistry(await readShared(read, client, clock));
}
