import { type AccountTier, accountTiers, reachesTier } from "#lib/accounts/plans/index";
import type { Database, Transaction } from "#lib/platform/database/index";

const tiers = accountTiers.filter((tier: AccountTier) => reachesTier(tier, "pro"));

/** What is told, with the exact bytes that every webhook gets. */
type NewEvent = {
  id: string;
  type: string;
  body: string;
  reportId: string | null;
  isTest: boolean;
  at: Date;
};

type Audience = {
  type: string;
  /** The account that alone may hear of it; null: everybody. */
  accountId: string | null;
  at: Date;
};

/**
 * The active webhooks that are subscribed to a type of event: of accounts whose tier has webhooks, and registered with
 * a key that still works, itself or as one that a rotation replaced it with.
 */
export async function findAudience(
  client: Database | Transaction,
  { type, accountId, at }: Audience,
): Promise<string[]> {
  const rows = await client.$queryRaw<{ id: string }[]>`
    SELECT webhooks.id FROM webhooks JOIN accounts ON accounts.id = webhooks.account_id
    WHERE webhooks.active AND ${type} = ANY(webhooks.events) AND accounts.tier::text = ANY(${tiers})
      AND (${accountId}::uuid IS NULL OR webhooks.account_id = ${accountId}::uuid)
      AND EXISTS (
        SELECT 1 FROM api_keys
        WHERE api_keys.account_id = webhooks.account_id AND api_keys.limit_id = webhooks.limit_id
          AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${at})
      )
    ORDER BY webhooks.id`;
  return rows.map(({ id }) => id);
}

export async function insertEvent(client: Database | Transaction, { at, ...event }: NewEvent): Promise<void> {
  await client.webhookEvent.create({ data: { ...event, createdAt: at }, select: { id: true } });
}

type NewDelivery = {
  id: string;
  webhookId: string;
  eventId: string;
  createdAt: Date;
  nextAttemptAt: Date;
};

/** Rows of one statement. */
const batchSize = 1_000;

export async function insertDeliveries(
  client: Database | Transaction,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  for (let start = 0; start < deliveries.length; start += batchSize) {
    await client.webhookDelivery.createMany({ data: deliveries.slice(start, start + batchSize) });
  }
}

/** Adds an event for one webhook alone, with its delivery, both or neither. */
export async function insertTest(client: Database, event: NewEvent, delivery: NewDelivery): Promise<void> {
  await client.$transaction(async (transaction) => {
    await insertEvent(transaction, event);
    await insertDeliveries(transaction, [delivery]);
  });
}

/**
 * Deletes events from before a moment with their deliveries, some at a time, but none that is still on its way; gives
 * how many there were.
 */
export async function pruneWebhookEvents(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM webhook_events WHERE id IN (
      SELECT id FROM webhook_events WHERE created_at < ${before} AND NOT EXISTS (
        SELECT 1 FROM webhook_deliveries WHERE event_id = webhook_events.id AND status = 'pending'
      ) LIMIT ${limit})`;
}
