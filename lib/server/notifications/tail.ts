import type { Database } from "#lib/platform/database/index";
import { onWakeup } from "#lib/platform/database/wakeups";
import type { Log } from "#lib/platform/log";
import { newestPosition, readNotifications } from "./store";

/** Most notifications that one look reads. */
const batchSize = 500;

type TailOptions = { database: Database; log: Log; onTopic: (topic: string) => void };

/** A log that is followed: `ready` once nothing that is written from now on can be missed. */
export type Tail = { ready: Promise<void>; stop: () => void };

/** Follows the log from now on and gives each topic that changes. */
export function tailNotifications({ database, log, onTopic }: TailOptions): Tail {
  let position: bigint | undefined;
  let isLooking = false;
  let isStale = false;
  let hasEnded = false;

  const readOn = async () => {
    if (position === undefined) {
      position = await newestPosition(database);
      return;
    }
    for (;;) {
      const batch = await readNotifications(database, { after: position, limit: batchSize });
      if (hasEnded) return;
      for (const { topic } of batch) onTopic(topic);
      position = batch.at(-1)?.id ?? position;
      if (batch.length < batchSize) return;
    }
  };

  const look = async () => {
    isStale = true;
    if (isLooking) return;
    isLooking = true;
    while (isStale && !hasEnded) {
      isStale = false;
      await readOn().catch((error) => log.warn({ err: error }, "notifications cannot be read now"));
    }
    isLooking = false;
  };

  const forget = onWakeup(() => void look());
  const stop = () => {
    hasEnded = true;
    forget();
  };
  return { ready: look(), stop };
}
