import { type Database, isQueuePaused, queryDirectly, type Transaction } from "#lib/platform/database/index";
import { deadFetches, type QueueName, queueDefinitions } from "./queues";

/** Waits until no other transaction creates jobs for a queue, and keeps it so until the end of this one. */
export async function lockDispatch(transaction: Transaction, queue: QueueName): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('tapedeck.dispatch'), hashtext(${queue}))`;
}

/** Jobs that wait or run. pg-boss has a unique index on exactly this condition. */
const isOpen = "policy = 'exclusive' AND state <= 'active'";

/** Returns those of the keys that have a job in a queue, waiting or running. */
export async function findOpenKeys(client: Database, queue: QueueName, keys: readonly string[]): Promise<Set<string>> {
  const rows = await queryDirectly(client, {
    text: `SELECT singleton_key AS key FROM pgboss.job
      WHERE name = $1 AND ${isOpen} AND COALESCE(singleton_key, '') = ANY($2::text[])`,
    values: [queue, [...keys]],
  });
  return new Set(rows.map(({ key }) => String(key)));
}

/** Whether a job of the queue can be taken now, also one whose process has ended, which a run gives to others. */
export async function hasReadyJob(client: Database, queue: QueueName): Promise<boolean> {
  const [row] = await queryDirectly(client, {
    text: `SELECT (EXISTS (
        SELECT 1 FROM pgboss.job WHERE name = $1 AND state < 'active' AND NOT blocked AND start_after <= now()
      ) OR EXISTS (
        SELECT 1 FROM pgboss.job
        WHERE name = $1 AND state = 'active' AND heartbeat_on + heartbeat_seconds * interval '1 s' < now()
      )) AND NOT EXISTS (SELECT 1 FROM paused_queues WHERE name = $1) AS ready`,
    values: [queue],
  });
  return row?.ready === true;
}

/** Whether a job of the queue can be taken now, or created for one of the keys; never while the queue is paused. */
export async function hasWaitingWork(client: Database, queue: QueueName, keys: readonly string[]): Promise<boolean> {
  if (await hasReadyJob(client, queue)) return true;
  if (keys.length === 0 || (await isQueuePaused(client, queue))) return false;
  return (await findOpenKeys(client, queue, keys)).size < keys.length;
}

/** The jobs of a queue, counted. */
export type QueueStatus = {
  name: string;
  waiting: number;
  running: number;
  /** Jobs that were given up, or that wait among the dead letters. */
  failed: number;
  completed: number;
  /** When the oldest waiting job was created; null without one. */
  oldestAt: Date | null;
  /** When an operator paused it; null if it is not paused. */
  pausedAt: Date | null;
};

/** Returns the status of every queue. */
export async function readQueueStatus(client: Database): Promise<QueueStatus[]> {
  const counted = await queryDirectly(client, {
    text: `SELECT name, count(*) FILTER (WHERE state < 'active')::int AS waiting,
        count(*) FILTER (WHERE state = 'active')::int AS running,
        count(*) FILTER (WHERE state = 'failed')::int AS failed,
        count(*) FILTER (WHERE state = 'completed')::int AS completed,
        min(created_on) FILTER (WHERE state < 'active') AS oldest
      FROM pgboss.job GROUP BY name`,
  });
  const paused = new Map((await client.pausedQueue.findMany()).map(({ name, pausedAt }) => [name, pausedAt]));
  return queueDefinitions.map(({ name }) => {
    const row = counted.find((each) => each.name === name) ?? {};
    const count = (column: string) => Number(row[column] ?? 0);
    return {
      name,
      waiting: count("waiting"),
      running: count("running"),
      failed: count("failed"),
      completed: count("completed"),
      oldestAt: row.oldest instanceof Date ? row.oldest : null,
      pausedAt: paused.get(name) ?? null,
    };
  });
}

/** Returns those of the queues that an operator has paused. */
export async function findPaused(client: Database, queues: readonly QueueName[]): Promise<string[]> {
  const found = await client.pausedQueue.findMany({ where: { name: { in: [...queues] } }, orderBy: { name: "asc" } });
  return found.map(({ name }) => name);
}

export async function setPaused(client: Database, queue: string, pausedAt: Date | null): Promise<void> {
  if (pausedAt === null) await client.pausedQueue.deleteMany({ where: { name: queue } });
  else await client.pausedQueue.upsert({ where: { name: queue }, create: { name: queue, pausedAt }, update: {} });
}

/**
 * Deletes the failed jobs of a queue, and all that wait among the dead letters, so that new ones are created for what is
 * still due. Returns how many there were.
 */
export async function retryFailed(client: Database, queue: QueueName | typeof deadFetches): Promise<number> {
  return client.$executeRaw`
    DELETE FROM pgboss.job
    WHERE name = ${queue} AND (state = 'failed' OR (name = ${deadFetches} AND state < 'active'))`;
}
