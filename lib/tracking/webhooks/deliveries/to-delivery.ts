import type { WebhookEventType } from "../schemas";
import type { AttemptItem, DeliveryItem } from "./schemas";
import type { ListedDelivery } from "./store";

function toAttempt(attempt: ListedDelivery["attempts"][number]): AttemptItem {
  const { id, createdAt, httpStatus, error, responseExcerpt, durationMs } = attempt;
  return {
    ...{ id, created_at: createdAt.toISOString(), http_status: httpStatus, error },
    ...{ response_excerpt: responseExcerpt, duration_ms: durationMs },
  };
}

/** A delivery as answers have it. */
export function toDelivery(delivery: ListedDelivery, now: Date): DeliveryItem {
  const { id, event, status, leaseUntil, nextAttemptAt, createdAt, finishedAt } = delivery;
  const isInFlight = leaseUntil !== null && leaseUntil > now;
  return {
    ...{ id, event_id: event.id, event: event.type as WebhookEventType, test: event.isTest, status },
    in_flight: isInFlight,
    attempt_count: delivery.attemptCount,
    next_attempt_at: status === "pending" && !isInFlight ? nextAttemptAt.toISOString() : null,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(toAttempt),
  };
}
