import { type Database, queryDirectly, type Transaction } from "#lib/platform/database/index";
import { notifyChannel } from "#lib/platform/database/notify-listener";

/**
 * Returns a statement that appends what `announced` selects (topic, created_at) to the log, and wakes the instances that
 * follow it.
 *
 * Ids are assigned before the commit: without the lock, a reader could see a later id first and skip an earlier one. A
 * transaction of one statement holds it only until it is committed, however far away the process is.
 */
const appendStatement = (announced: string) => `
  WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtext('notifications'))), ${announced},
    notification AS (INSERT INTO notifications (topic, created_at) SELECT topic, created_at FROM announced RETURNING id)
  SELECT pg_notify('${notifyChannel}', '') FROM notification LIMIT 1`;

const changesStatement = appendStatement(`announced AS (
    DELETE FROM unannounced_changes USING locked RETURNING 'vendors/' || slug AS topic, created_at
  )`);

/** Appends a notification for every stored version that has none yet, whichever process has stored it. */
export async function insertChanges(client: Database): Promise<void> {
  await queryDirectly(client, { text: changesStatement });
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

const listStatement = appendStatement(`old AS (SELECT hash FROM announced_lists WHERE name = $1), swapped AS (
    INSERT INTO announced_lists (name, hash) SELECT $1, $2 FROM locked
    ON CONFLICT (name) DO UPDATE SET hash = excluded.hash WHERE announced_lists.hash <> excluded.hash
    RETURNING (SELECT hash FROM old) AS before
  ), announced AS (SELECT $3::text AS topic, $4::timestamptz AS created_at FROM swapped WHERE before IS NOT NULL)`);

type List = { name: string; hash: string; topic: string; at: Date };

/** Stores the hash of a list, and appends a notification if a different one was stored before. */
export async function insertListChange(client: Database, { name, hash, topic, at }: List): Promise<void> {
  await queryDirectly(client, { text: listStatement, values: [name, hash, topic, at] });
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
