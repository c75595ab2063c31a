import type { Database, Transaction } from "#lib/platform/database/index";
import { wakeChannel } from "#lib/platform/database/wakeups";
import type { Topic } from "./topic";

/** Appends one to the log and wakes the instances that wait for it, once the transaction is committed. */
export async function insertNotification(transaction: Transaction, topic: Topic, at: Date): Promise<void> {
  // Ids are given before the commit: without the lock a reader could see a later one first, and pass over this one.
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('notifications'))`;
  await transaction.$executeRaw`INSERT INTO notifications (topic, created_at) VALUES (${topic}, ${at})`;
  await transaction.$executeRaw`SELECT pg_notify(${wakeChannel}, '')`;
}

/** What stands in the log after a position, oldest first. */
export async function readNotifications(
  client: Database,
  { after, limit }: { after: bigint; limit: number },
): Promise<{ id: bigint; topic: string }[]> {
  const where = { id: { gt: after } };
  return client.notification.findMany({
    where,
    select: { id: true, topic: true },
    orderBy: { id: "asc" },
    take: limit,
  });
}

/** Id of the newest one; 0 where there is none. */
export async function newestPosition(client: Database | Transaction): Promise<bigint> {
  const newest = await client.notification.findFirst({ select: { id: true }, orderBy: { id: "desc" } });
  return newest?.id ?? 0n;
}

/** Keeps a list's hash; says whether another one stood there before. */
export async function swapListHash(transaction: Transaction, name: string, hash: string): Promise<boolean> {
  const rows = await transaction.$queryRaw<{ before: string | null }[]>`
    WITH old AS (SELECT hash FROM announced_lists WHERE name = ${name})
    INSERT INTO announced_lists (name, hash) VALUES (${name}, ${hash})
    ON CONFLICT (name) DO UPDATE SET hash = excluded.hash WHERE announced_lists.hash <> excluded.hash
    RETURNING (SELECT hash FROM old) AS before`;
  return rows.some(({ before }) => before !== null);
}

/** Deletes notifications from before a moment, some at a time; gives how many there were. */
export async function pruneNotifications(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM notifications WHERE id IN
      (SELECT id FROM notifications WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit})`;
}
