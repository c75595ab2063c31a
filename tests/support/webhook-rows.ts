import type { Database } from "#lib/platform/database/index";
import { idsAt } from "./vendor-rows";

export type DeliveryRow = {
  status?: "pending" | "delivered" | "dead" | "cancelled";
  nextAttemptAt: Date;
  /** When each attempt was. */
  attempts?: readonly Date[];
};

/** Adds an account with a webhook. Returns the webhook's id. */
export async function addWebhook(database: Database, { secret }: { secret: string }): Promise<string> {
  const at = new Date();
  const ids = idsAt(at);
  const [id, accountId] = [ids.next(), ids.next()];
  await database.account.create({ data: { id: accountId, tier: "pro" } });
  const columns = { url: "https://receiver.example.com", events: [], limitId: accountId, createdAt: at, updatedAt: at };
  await database.webhook.create({ data: { ...columns, id, accountId, secret } });
  return id;
}

/** Adds a delivery of a new event to a webhook, with its attempts. */
export async function addDelivery(
  database: Database,
  webhookId: string,
  { status = "pending", nextAttemptAt, attempts = [] }: DeliveryRow,
): Promise<void> {
  const createdAt = new Date();
  const ids = idsAt(createdAt);
  const event = await database.webhookEvent.create({ data: { id: ids.next(), type: "test", body: "{}", createdAt } });
  const columns = { id: ids.next(), webhookId, eventId: event.id, status, nextAttemptAt, createdAt };
  const delivery = await database.webhookDelivery.create({ data: columns });
  for (const at of attempts) {
    await database.webhookAttempt.create({
      data: { id: idsAt(at).next(), deliveryId: delivery.id, createdAt: at, httpStatus: 500, durationMs: 1 },
    });
  }
}
