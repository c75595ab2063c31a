import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { announceChanges } from "#lib/server/notifications/index";

/** Marks a version of a vendor as not announced yet, as storing one does. */
export async function markChange(database: Database, slug: string): Promise<void> {
  await database.unannouncedChange.create({ data: { fetchId: systemIds.next(), slug, createdAt: new Date() } });
}

/** Notifies subscribers that a vendor's file changed. */
export async function announceChange(database: Database, slug: string): Promise<void> {
  await markChange(database, slug);
  await announceChanges(database);
}
