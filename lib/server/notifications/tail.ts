import type { Database } from "#lib/platform/database/index";
import { onWakeup } from "#lib/platform/database/wakeups";
import type { Log } from "#lib/platform/log";
import { newestPosition, readNotifications } from "./store";

/** Maximum notifications read at once. */
const batchSize = 500;

type TailOptions = { database: Database; log: Log; onTopic: (topic: string) => void };

/** A log being followed. Once `ready` settles, nothing written afterwards is missed. */
export type Tail = { ready: Promise<void>; stop: () => void };

/** Follows the log from now on, calling `onTopic` for each notification. */
export function tailNotifications({ database, log, onTopic }: TailOptions): Tail {
  let position: bigint | undefined;
  let isReading = false;
  let isStale = false;
  let hasEnded = false;

  const readNew = async () => {
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

  const read = async () => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale && !hasEnded) {
      isStale = false;
      await readNew().catch((error) => log.warn({ err: error }, "could not read notifications"));
    }
    isReading = false;
  };

  const stopListening = onWakeup(() => void read());
  const stop = () => {
    hasEnded = true;
    stopListening();
  };
  return { ready: read(), stop };
}
