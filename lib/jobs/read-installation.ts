import type { Clock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import { lowestIdAt } from "#lib/platform/ids";
import { hourMs, secondMs } from "#lib/platform/time";
import type { InstallationStatus } from "#lib/server/metrics/index";
import { configuredJobs } from "./all-jobs";
import { deadFetches, readQueueStatus } from "./queue/index";
import { readActivity } from "./store";

const fetchOutcomes = ["changed", "unchanged", "not_modified", "failed"];
const mailOutcomes = ["sent", "failed", "empty", "retrying"];
const deliveryOutcomes = ["delivered", "retrying", "dead", "cancelled"];

/** Returns the counts of all names, which a statement leaves out if they are 0. */
function countsOf(names: readonly string[], counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, counts[name] ?? 0]));
}

/** Returns the status that all instances and workers on a database share. Throws AppError service_unavailable. */
export async function readInstallation(database: Database, clock: Clock): Promise<InstallationStatus> {
  const jobs = configuredJobs(config()).map(({ name }) => name);
  const firstAttemptId = lowestIdAt(clock.now().getTime() - hourMs);
  const [queues, { now, completed, ...activity }] = await Promise.all([
    readQueueStatus(database),
    readActivity(database, { jobs, firstAttemptId }),
  ]);
  const secondsSince = (time: Date) => Math.max(0, (now.getTime() - time.getTime()) / secondMs);
  const dead = queues.find(({ name }) => name === deadFetches);
  return {
    queues: queues
      .filter(({ name }) => name !== deadFetches)
      .map(({ name, waiting, running, failed, oldestAt, pausedAt }) => ({
        name,
        waiting,
        running,
        failed,
        isPaused: pausedAt !== null,
        oldestS: oldestAt && secondsSince(oldestAt),
      })),
    deadFetches: dead ? dead.waiting + dead.running + dead.failed : 0,
    ...activity,
    fetches: countsOf(fetchOutcomes, activity.fetches),
    deliveries: countsOf(deliveryOutcomes, activity.deliveries),
    mails: countsOf(mailOutcomes, activity.mails),
    jobs: jobs.map((name) => ({ name, completedS: completed[name] ?? null })),
  };
}
