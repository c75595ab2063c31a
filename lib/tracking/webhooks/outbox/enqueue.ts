import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { highSignificanceEvent } from "../schemas";
import { type EventSubject, findSubscribers, insertDeliveries, insertEvent } from "./store";

type EventContent = { id: string; type: string; at: Date; data: unknown; isTest?: boolean };

/** Returns the body of every delivery of an event. It is stored, so that each attempt sends the same bytes. */
export function eventBody({ id, type, at, data, isTest = false }: EventContent): string {
  return JSON.stringify({ id, type, created_at: at.toISOString(), ...(isTest && { test: true }), data });
}

export type HighSignificance = {
  /** The event's `data`, as JSON: the report, its vendor and its diff. */
  data: unknown;
  /** Null if the event is not about a stored report. */
  reportId: string | null;
  /** The account that owns the vendor and is the only one notified; null notifies all accounts. */
  vendorAccountId: string | null;
  /** What the filters of webhooks are compared with. */
  subject: EventSubject;
  at: Date;
  ids: Ids;
};

/** Result of enqueueing; there is no event if no webhook receives it. */
export type Enqueued = { eventId: string | null; deliveryCount: number };

/**
 * Stores an event for a change of high significance, with a delivery for each webhook that may receive it. Call it in the
 * transaction that stores the report, and `deliverWebhooks` after the commit.
 */
export async function enqueueHighSignificance(
  transaction: Database | Transaction,
  { data, reportId, vendorAccountId, subject, at, ids }: HighSignificance,
): Promise<Enqueued> {
  const type = highSignificanceEvent;
  const webhookIds = await findSubscribers(transaction, { type, accountId: vendorAccountId, subject, at });
  if (webhookIds.length === 0) return { eventId: null, deliveryCount: 0 };
  const eventId = ids.next();
  const body = eventBody({ id: eventId, type, at, data });
  await insertEvent(transaction, { id: eventId, type, body, reportId, isTest: false, at });
  const rows = webhookIds.map((webhookId) => ({
    id: ids.next(),
    webhookId,
    eventId,
    createdAt: at,
    nextAttemptAt: at,
  }));
  await insertDeliveries(transaction, rows);
  return { eventId, deliveryCount: rows.length };
}
