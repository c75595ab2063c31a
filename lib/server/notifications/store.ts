import type { Database, DirectQuery, Transaction } from "#lib/platform/database/index";
import { notifyChannel } from "#lib/platform/database/notify-listener";

/** Appends a notification to the log, and wakes the instances that follow it once the transaction commits. */
export async function insertNotification(query: DirectQuery, topic: string, at: Date): Promise<void> {
  // Ids are assigned before the commit. Without the lock, which is taken first since the insertion reads from it, a reader
  // could see a later id first and skip this one.
  await query({
    text: `WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtext('notifications'))),
      notification AS (INSERT INTO notifications (topic, created_at) SELECT $1, $2 FROM locked RETURNING id)
      SELECT pg_notify($3, '') FROM notification`,
    values: [topic, at, notifyChannel],
  });
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
export async function swapListHash(query: DirectQuery, name: string, hash: string): Promise<boolean> {
  const rows = await query({
    text: `WITH old AS (SELECT hash FROM announced_lists WHERE name = $1)
      INSERT INTO announced_lists (name, hash) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET hash = excluded.hash WHERE announced_lists.hash <> excluded.hash
      RETURNING (SELECT hash FROM old) AS before`,
    values: [name, hash],
  });
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
