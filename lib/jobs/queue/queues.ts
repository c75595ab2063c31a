import { dayMs, hourMs, secondMs } from "#lib/platform/time";

/**
 * The queues. Jobs are created from the tables of vendors and changes, and with the vendor or change as their key, of which
 * a queue has one job at a time. A lost job is therefore created again, and a repeated one finds nothing to do.
 */
export const queueNames = ["fetch", "analyse"] as const;
export type QueueName = (typeof queueNames)[number];

export function isQueueName(name: string): name is QueueName {
  return queueNames.some((known) => known === name);
}

/** Where a fetch goes that ended its process each time. */
export const deadFetches = "fetch-dead";

/** After this time without a sign of life of its process, a job is given to another one. */
const heartbeatMs = 10 * secondMs;

const common = {
  policy: "exclusive",
  heartbeatSeconds: heartbeatMs / secondMs,
  /** Longer than any fetch or analysis takes. */
  expireInSeconds: hourMs / secondMs,
  deleteAfterSeconds: hourMs / secondMs,
  retentionSeconds: dayMs / secondMs,
} as const;

/** Definitions of all queues; a queue comes after that of its dead letters. */
export const queueDefinitions = [
  { name: deadFetches, ...common, policy: "standard", retryLimit: 100 },
  // Five processes may end during it.
  { name: "fetch", ...common, retryLimit: 4, deadLetter: deadFetches },
  // Attempts to analyse a change are counted in its row.
  { name: "analyse", ...common, retryLimit: 100 },
] as const;
