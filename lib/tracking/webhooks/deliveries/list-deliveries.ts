import type { CallContext } from "#lib/accounts/keys/index";
import { parseIdCursor } from "#lib/contract/query-schemas";
import { requireWebhook } from "../require-webhook";
import type { WebhookEventType } from "../schemas";
import { findDeliveries, type ListedDelivery } from "../store";
import type { AttemptItem, DeliveryItem, DeliveryList } from "./schemas";

function toAttempt(attempt: ListedDelivery["attempts"][number]): AttemptItem {
  const { id, createdAt, httpStatus, error, responseExcerpt, durationMs } = attempt;
  return {
    id,
    created_at: createdAt.toISOString(),
    http_status: httpStatus,
    error,
    response_excerpt: responseExcerpt,
    duration_ms: durationMs,
  };
}

/** Returns a delivery in API form. */
export function toDelivery(delivery: ListedDelivery, now: Date): DeliveryItem {
  const { id, event, status, leaseUntil, nextAttemptAt, createdAt, finishedAt } = delivery;
  const isInFlight = leaseUntil !== null && leaseUntil > now;
  return {
    id,
    event_id: event.id,
    event: event.type as WebhookEventType,
    test: event.isTest,
    status,
    vendor: event.report?.vendor ?? null,
    in_flight: isInFlight,
    attempt_count: delivery.attemptCount,
    next_attempt_at: status === "pending" && !isInFlight ? nextAttemptAt.toISOString() : null,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(toAttempt),
  };
}

type ListInput = { params: { id: string }; query: { cursor?: string | undefined; limit: number } };

/**
 * Returns a page of the deliveries of a webhook, active or not, newest first. Throws AppError not_found and
 * invalid_cursor.
 */
export async function listDeliveries(
  context: CallContext,
  { params: { id }, query: { cursor, limit } }: ListInput,
): Promise<DeliveryList> {
  const { clock, database } = context;
  const before = parseIdCursor(cursor);
  await requireWebhook(context, id);
  const found = await findDeliveries(database, { webhookId: id, before, limit: limit + 1 });
  const now = clock.now();
  const deliveries = found.slice(0, limit).map((delivery) => toDelivery(delivery, now));
  const has_more = found.length > limit;
  const next_cursor = has_more ? (deliveries.at(-1)?.id ?? null) : null;
  return { _meta: { count: deliveries.length, next_cursor, has_more }, deliveries };
}
