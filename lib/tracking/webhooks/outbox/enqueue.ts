import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { highSignificanceEvent } from "../schemas";
import { type EventSubject, findSubscribers, type PreparedEvent } from "./store";

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

/** Returns an event for a change of high significance with a delivery for each webhook that may receive it; null if none may. */
export async function prepareHighSignificance(
  client: Database,
  { data, reportId, vendorAccountId, subject, at, ids }: HighSignificance,
): Promise<PreparedEvent | null> {
  const type = highSignificanceEvent;
  const webhookIds = await findSubscribers(client, { type, accountId: vendorAccountId, subject, at });
  if (webhookIds.length === 0) return null;
  const id = ids.next();
  const deliveries = webhookIds.map((webhookId) => ({ id: ids.next(), webhookId }));
  return { id, type, body: eventBody({ id, type, at, data }), reportId, at, deliveries };
}
