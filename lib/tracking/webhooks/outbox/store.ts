import { type AccountTier, accountTiers, reachesTier } from "#lib/accounts/plans/index";
import type { Database } from "#lib/platform/database/index";
import { toJson } from "#lib/platform/well-formed-json";
import { matchesSubjects } from "#lib/tracking/change-filters/index";
import { Prisma } from "#prisma/generated/client";

/** Changes of a lower significance are no events. */
const minEventSignificance = 4;

const tiers = accountTiers.filter((tier: AccountTier) => reachesTier(tier, "pro"));

type Subscription = {
  type: string;
  /** The only account that may receive the event; null: all accounts. */
  accountId: string | null;
  /** What the filters of webhooks are compared with. */
  subject: EventSubject;
  at: Date;
};

/** What an event is about. */
export type EventSubject = {
  vendorSlug: string;
  categories: readonly string[];
  significance: number;
  /** The change, in which the models of a filter are looked for; null matches no such filter. */
  diffId?: string | null;
};

/**
 * Returns the ids of the active webhooks that subscribe to an event type and whose filters the event matches, of
 * accounts whose tier includes webhooks. The key that registered the webhook, or a key that replaced it in a rotation,
 * must still be valid.
 */
export async function findSubscribers(
  client: Database,
  { type, accountId, subject: { vendorSlug, categories, significance, diffId = null }, at }: Subscription,
): Promise<string[]> {
  const rows = await client.$queryRaw<{ id: string }[]>`
    SELECT webhooks.id FROM webhooks JOIN accounts ON accounts.id = webhooks.account_id
    WHERE webhooks.active AND ${type} = ANY(webhooks.events) AND accounts.tier::text = ANY(${tiers})
      AND (${accountId}::uuid IS NULL OR webhooks.account_id = ${accountId}::uuid)
      AND (cardinality(filter_vendors) = 0 OR ${vendorSlug} = ANY(filter_vendors))
      AND ${matchesSubjects("webhooks", Prisma.sql`${diffId}::uuid`, minEventSignificance)}
      AND (cardinality(filter_categories) = 0 OR filter_categories && ${[...categories]}::text[])
      AND (min_significance IS NULL OR min_significance <= ${significance})
      AND EXISTS (
        SELECT 1 FROM api_keys
        WHERE api_keys.account_id = webhooks.account_id AND api_keys.limit_id = webhooks.limit_id
          AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${at})
      )
    ORDER BY webhooks.id`;
  return rows.map(({ id }) => id);
}

/** An event with the exact body that every webhook receives, and its deliveries. */
export type PreparedEvent = {
  id: string;
  type: string;
  body: string;
  /** Null if the event is not about a stored report. */
  reportId: string | null;
  at: Date;
  deliveries: { id: string; webhookId: string }[];
};

/** Returns parts of a WITH clause that store the events of the reports in its part `stored`. Deleted webhooks are left out. */
export function eventsPart(events: readonly PreparedEvent[]): Prisma.Sql {
  const rows = events.map(({ deliveries: _deliveries, ...event }) => event);
  const deliveries = events.flatMap(({ id: eventId, at, deliveries }) =>
    deliveries.map((delivery) => ({ ...delivery, eventId, at })),
  );
  return Prisma.sql`webhook_event AS (
      INSERT INTO webhook_events (id, type, body, report_id, created_at)
      SELECT event.id, type, body, stored.id, at
      FROM json_to_recordset(${toJson(rows)}::json) AS event (id uuid, type text, body text, "reportId" uuid, at timestamptz(3))
      JOIN stored ON stored.id = "reportId" RETURNING id
    ), webhook_delivery AS (
      INSERT INTO webhook_deliveries (id, webhook_id, event_id, created_at, next_attempt_at)
      SELECT delivery.id, webhooks.id, webhook_event.id, at, at
      FROM json_to_recordset(${JSON.stringify(deliveries)}::json)
        AS delivery (id uuid, "webhookId" uuid, "eventId" uuid, at timestamptz(3))
      JOIN webhook_event ON webhook_event.id = "eventId" JOIN webhooks ON webhooks.id = "webhookId"
    )`;
}

/** Stores a test with its delivery, which is due at a time. */
export async function insertTest(
  client: Database,
  { at, deliveries, ...event }: PreparedEvent,
  nextAttemptAt: Date,
): Promise<void> {
  const rows = deliveries.map((delivery) => ({ ...delivery, createdAt: at, nextAttemptAt }));
  const data = { ...event, isTest: true, createdAt: at, deliveries: { createMany: { data: rows } } };
  await client.webhookEvent.create({ data, select: { id: true } });
}

/** Deletes up to `limit` events older than `before` without pending deliveries, and returns how many. */
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
