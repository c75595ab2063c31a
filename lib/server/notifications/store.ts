import type { Database, Transaction } from "#lib/platform/database/index";
import { notifyChannel } from "#lib/platform/database/notify-listener";

/** Appends a notification to the log, and wakes the instances that follow it once the transaction commits. */
export async function insertNotification(transaction: Transaction, topic: string, at: Date): Promise<void> {
  // Ids are assigned before the commit. Without the lock a reader could see a later id first and skip this one.
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('notifications'))`;
  await transaction.$executeRaw`INSERT INTO notifications (topic, created_at) VALUES (${topic}, ${at})`;
  await transaction.$executeRaw`SELECT pg_notify(${notifyChannel}, '')`;
}

/** Returns the notifications after a position, oldest first. */
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

/** Returns the id of the newest notification; 0 without any. */
export async function newestPosition(client: Database | Transaction): Promise<bigint> {
  const newest = await client.notification.findFirst({ select: { id: true }, orderBy: { id: "desc" } });
  return newest?.id ?? 0n;
}

/** Stores the hash of a list. Returns whether a different hash was stored before. */
export async function swapListHash(transaction: Transaction, name: string, hash: string): Promise<boolean> {
  const rows = await transaction.$queryRaw<{ before: string | null }[]>`
    WITH old AS (SELECT hash FROM announced_lists WHERE name = ${name})
    INSERT INTO announced_lists (name, hash) VALUES (${name}, ${hash})
    ON CONFLICT (name) DO UPDATE SET hash = excluded.hash WHERE announced_lists.hash <> excluded.hash
    RETURNING (SELECT hash FROM old) AS before`;
  return rows.some(({ before }) => before !== null);
}

/** Deletes up to `limit` notifications older than `before`. Returns how many were deleted. */
export async function pruneNotifications(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM notifications WHERE id IN
      (SELECT id FROM notifications WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit})`;
}
