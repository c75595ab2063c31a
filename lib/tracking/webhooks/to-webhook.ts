import type { WebhookCreation, WebhookEventType, WebhookItem } from "./schemas";
import type { StoredWebhook } from "./store";

/** A webhook as the answer to its registration has it. */
export function toCreated({ id, url, events, active, createdAt }: StoredWebhook): WebhookCreation["webhook"] {
  return { id, url, events: events as WebhookEventType[], active, created_at: createdAt.toISOString() };
}

/** A webhook as listings have it. */
export function toWebhook(stored: StoredWebhook): WebhookItem {
  return { ...toCreated(stored), updated_at: stored.updatedAt.toISOString() };
}

/** The same, with how it stands. */
export function toWebhookWithStanding(stored: StoredWebhook): WebhookItem {
  const { failingSince, deactivatedAt, deactivatedReason } = stored;
  return {
    ...toWebhook(stored),
    failing_since: failingSince?.toISOString() ?? null,
    deactivated_at: deactivatedAt?.toISOString() ?? null,
    deactivated_reason: deactivatedReason,
  };
}
