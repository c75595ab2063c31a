import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { highSignificance } from "../schemas";
import { findAudience, insertDeliveries, insertEvent } from "./store";

type EventContent = { id: string; type: string; at: Date; data: unknown; isTest?: boolean };

/** The body of every delivery of an event. It is made once and kept, so that each attempt sends the same bytes. */
export function eventBody({ id, type, at, data, isTest = false }: EventContent): string {
  return JSON.stringify({ id, type, created_at: at.toISOString(), ...(isTest && { test: true }), data });
}

export type HighSignificance = {
  /** What the receivers get as `data`: the report, its vendor and its diff. JSON. */
  data: unknown;
  /** Null where it tells of something else than a stored report. */
  reportId: string | null;
  /** The account that the vendor was added for, which alone hears of it; null: everybody. */
  vendorAccountId: string | null;
  at: Date;
  ids: Ids;
};

/** What was written: no event where nobody is to hear of it. */
export type Enqueued = { eventId: string | null; deliveryCount: number };

/**
 * Writes down that a change of high significance is to be told to every webhook that may hear of it. It belongs into the
 * transaction that stores the report: both are kept, or neither. Call `deliverWebhooks` once that has committed.
 */
export async function enqueueHighSignificance(
  transaction: Database | Transaction,
  { data, reportId, vendorAccountId, at, ids }: HighSignificance,
): Promise<Enqueued> {
  const type = highSignificance;
  const webhookIds = await findAudience(transaction, { type, accountId: vendorAccountId, at });
  if (webhookIds.length === 0) return { eventId: null, deliveryCount: 0 };
  const eventId = ids.next();
  const body = eventBody({ id: eventId, type, at, data });
  await insertEvent(transaction, { id: eventId, type, body, reportId, isTest: false, at });
  const rows = webhookIds.map((webhookId) => ({
    ...{ id: ids.next(), webhookId, eventId, createdAt: at, nextAttemptAt: at },
  }));
  await insertDeliveries(transaction, rows);
  return { eventId, deliveryCount: rows.length };
}
