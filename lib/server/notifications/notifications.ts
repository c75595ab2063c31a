import { batchCalls } from "#lib/platform/batch-calls";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { onNotify } from "#lib/platform/database/notify-listener";
import type { Log } from "#lib/platform/log";
import { OutageLog } from "#lib/platform/log-failure";
import { insertChanges, insertListChange, newestPosition, readNotifications } from "./store";

/** The subject of a notification: the file of one vendor, or the list of MCP tools. */
export type Topic = `vendors/${string}` | "tools";

export const toolsTopic = "tools";

export function vendorTopic(slug: string): Topic {
  return `vendors/${slug}`;
}

const announce = batchCalls<Database, void, void>(
  async (database, calls) => {
    await insertChanges(database);
    return calls;
  },
  { maxCount: Number.POSITIVE_INFINITY },
);

/**
 * Notifies subscribers of all stored versions of vendors' files of which they were not notified yet. Call it after storing
 * some; concurrent calls share a statement. What a process that ended has stored is announced by the next call of any other.
 */
export async function announceChanges(database: Database): Promise<void> {
  await announce(database);
}

/** Notifies clients if the list of tools differs from the one announced before, which means that a new version was deployed. */
export async function announceTools(
  { database, clock }: { database: Database; clock: Clock },
  { name, hash }: { name: string; hash: string },
): Promise<void> {
  await insertListChange(database, { name, hash, topic: toolsTopic, at: clock.now() });
}

type FollowOptions = {
  log: Log;
  messages: { failed: string; works: string };
  /** Reads what is new. Returns true if there is more. */
  read: () => Promise<boolean>;
};

/** What reads again whenever there may be new rows. */
export type Follower = { readNow: () => void; stop: () => void };

/**
 * Calls `read` whenever there may be new rows, and again after a call during which that happened; never twice at a time. A
 * failure is logged once, and the next notification or poll reads again.
 */
export function follow({ log, messages, read }: FollowOptions): Follower {
  const outage = new OutageLog(log, messages);
  let isReading = false;
  let isStale = false;
  let hasEnded = false;
  const readAll = async () => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale && !hasEnded) {
      isStale = false;
      try {
        if (await read()) isStale = true;
        outage.succeeded();
      } catch (error) {
        outage.failed(error);
      }
    }
    isReading = false;
  };
  const readNow = () => void readAll();
  const stopListening = onNotify(readNow);
  const stop = () => {
    hasEnded = true;
    stopListening();
  };
  return { readNow, stop };
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
  let position: bigint | undefined;
  const read = async () => {
    if (position === undefined) return false;
    const batch = await readNotifications(database, { after: position, limit: batchSize });
    for (const { topic } of batch) onTopic(topic);
    position = batch.at(-1)?.id ?? position;
    return batch.length === batchSize;
  };
  const messages = { failed: "could not read notifications", works: "notifications are read again" };
  const { readNow, stop } = follow({ log, messages, read });
  const start = async () => {
    try {
      position = await newestPosition(database);
    } catch (error) {
      stop();
      throw error;
    }
    readNow();
  };
  return { ready: start(), stop };
}
