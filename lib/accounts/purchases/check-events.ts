import type { Database } from "#lib/platform/database/index";
import { dayMs, minuteMs } from "#lib/platform/time";
import { callProvider, type Payments } from "./payments";
import { recordedTypes } from "./receive-event";
import { findRecordedEvents } from "./store";

/** How far back events are compared; the provider retries for this long. */
const comparedMs = 3 * dayMs;
/** The provider sends an event within seconds, unless it has to retry. */
const maxDeliveryMs = 10 * minuteMs;
const maxComparedCount = 20;

/**
 * Compares the provider's newest events of the last three days with those that were received. `newestMissed` is the newest
 * event if it was not received. Throws AppError internal_error.
 */
export async function checkEvents(
  { stripe }: Payments,
  { database, now }: { database: Database; now: Date },
): Promise<{ count: number; missedCount: number; newestMissed: { type: string; createdAt: Date } | null }> {
  const seconds = (ageMs: number) => Math.floor((now.getTime() - ageMs) / 1_000);
  const created = { gte: seconds(comparedMs), lte: seconds(maxDeliveryMs) };
  const { data } = await callProvider(() =>
    stripe.events.list({ types: recordedTypes, created, limit: maxComparedCount }),
  );
  const ids = data.map(({ id }) => id);
  const received = await findRecordedEvents(database, ids);
  const [newest] = data;
  return {
    count: data.length,
    missedCount: data.length - received.size,
    newestMissed:
      newest && !received.has(newest.id) ? { type: newest.type, createdAt: new Date(newest.created * 1_000) } : null,
  };
}
