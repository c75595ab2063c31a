import type { Clock } from "#lib/platform/clock";
import { type Database, type DirectQuery, transactDirectly } from "#lib/platform/database/index";
import { onNotify } from "#lib/platform/database/notify-listener";
import type { Log } from "#lib/platform/log";
import { OutageLog } from "#lib/platform/log-failure";
import { insertNotification, newestPosition, readNotifications, swapListHash } from "./store";

/** The subject of a notification: the file of one vendor, or the list of MCP tools. */
export type Topic = `vendors/${string}` | "tools";

export const toolsTopic = "tools";

export function vendorTopic(slug: string): Topic {
  return `vendors/${slug}`;
}

/** Notifies subscribers that a vendor's file changed. Call it last in the transaction that stores the change: it takes a lock. */
export async function announceVendorChange(query: DirectQuery, slug: string, at: Date): Promise<void> {
  await insertNotification(query, vendorTopic(slug), at);
}

/** Notifies clients if the list of tools differs from the one announced before, which means that a new version was deployed. */
export async function announceTools(
  { database, clock }: { database: Database; clock: Clock },
  { name, hash }: { name: string; hash: string },
): Promise<void> {
  await transactDirectly(database, async (query) => {
    if (await swapListHash(query, name, hash)) await insertNotification(query, toolsTopic, clock.now());
  });
}

/** Maximum notifications read at once. */
const batchSize = 500;

type TailOptions = { database: Database; log: Log; onTopic: (topic: string) => void };

/**
 * A log being followed. Once `ready` resolves, nothing written afterwards is missed. If it rejects, because the log could
 * not be read, nothing is followed.
 */
export type Tail = { ready: Promise<void>; stop: () => void };

/** Follows the log from now on, calling `onTopic` for each notification. */
export function tailNotifications({ database, log, onTopic }: TailOptions): Tail {
  const outage = new OutageLog(log, { failed: "could not read notifications", works: "notifications are read again" });
  let position: bigint | undefined;
  let isReading = false;
  let isStale = false;
  let hasEnded = false;

  const readNew = async (start: bigint) => {
    for (let after = start; ; ) {
      const batch = await readNotifications(database, { after, limit: batchSize });
      if (hasEnded) return;
      for (const { topic } of batch) onTopic(topic);
      after = batch.at(-1)?.id ?? after;
      position = after;
      if (batch.length < batchSize) return outage.succeeded();
    }
  };

  const read = async () => {
    isStale = true;
    if (isReading || position === undefined) return;
    isReading = true;
    while (isStale && !hasEnded) {
      isStale = false;
      await readNew(position).catch((error) => outage.failed(error));
    }
    isReading = false;
  };

  const stopListening = onNotify(() => void read());
  const stop = () => {
    hasEnded = true;
    stopListening();
  };
  const start = async () => {
    try {
      position = await newestPosition(database);
    } catch (error) {
      stop();
      throw error;
    }
    void read();
  };
  return { ready: start(), stop };
}
