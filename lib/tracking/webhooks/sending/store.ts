import { type Database, type DirectQuery, transactDirectly } from "#lib/platform/database/index";
import type { Webhook, WebhookDelivery, WebhookEvent } from "#prisma/generated/client";
import { Prisma } from "#prisma/generated/client";

export type DeliveryStatus = "pending" | "delivered" | "dead" | "cancelled";

/** A leased delivery with everything that an attempt needs. */
export type ClaimedDelivery = Pick<WebhookDelivery, "id" | "attemptCount" | "finishedAt" | "webhookId" | "eventId"> &
  Pick<Webhook, "url" | "format" | "secret" | "previousSecret" | "previousSecretUntil" | "failingSince"> &
  Pick<WebhookEvent, "body" | "isTest"> & {
    leaseId: string;
    status: DeliveryStatus;
    /** As it was before the lease. */
    nextAttemptAt: Date;
  };

/** Duration of the lease on a delivery, in milliseconds: three times the longest attempt. */
const leaseMs = 30_000;
/** Concurrent attempts per webhook over all instances: if its receiver is prompt, if that is not known, and if it is failing. */
export const maxPromptAttempts = 16;
export const maxConcurrentAttempts = 4;
const maxConcurrentFailingAttempts = 1;

type Claim = {
  leaseId: string;
  now: Date;
  /** Most deliveries to claim. */
  limit: number;
  /** Most failing webhooks among them. */
  failingLimit: number;
  /** Webhooks whose receivers are prompt. */
  promptIds: readonly string[];
};

export const leaseEnd = (now: Date) => new Date(now.getTime() + leaseMs);

/** A lease postpones the next attempt to its own end, so due deliveries are never leased, and one index finds them. */
export const isDue = (now: Date) => Prisma.sql`status = 'pending' AND next_attempt_at <= ${now}`;

/** Number of attempts in progress, by webhook. */
const held = (now: Date) => Prisma.sql`
  held AS (
    SELECT webhook_id, count(*) AS count FROM webhook_deliveries
    WHERE status = 'pending' AND next_attempt_at > ${now} AND next_attempt_at <= ${leaseEnd(now)} AND lease_until > ${now}
    GROUP BY webhook_id
  )`;

/**
 * Makes pending deliveries due at `now` whose next attempt is after `latest`, which only a clock that was ahead can have written;
 * returns how many.
 */
export async function recallDeliveries(
  client: Database,
  { now, latest }: { now: Date; latest: Date },
): Promise<number> {
  return client.$executeRaw`
    UPDATE webhook_deliveries SET next_attempt_at = ${now} WHERE status = 'pending' AND next_attempt_at > ${latest}`;
}

const freeAttempts = ({ promptIds }: Claim) => Prisma.sql`
  CASE WHEN webhooks.failing_since IS NOT NULL THEN ${maxConcurrentFailingAttempts}::int
    WHEN webhooks.id = ANY(${promptIds}::uuid[]) THEN ${maxPromptAttempts}::int
    ELSE ${maxConcurrentAttempts}::int END - COALESCE(held.count, 0)`;

/**
 * Webhooks with pending deliveries, each with the time of its earliest one. Each step jumps to the next webhook in the
 * index, so that one row per webhook is read, however many deliveries are due.
 */
const waiting = Prisma.sql`
  waiting AS (
    (SELECT webhook_id, next_attempt_at AS since FROM webhook_deliveries WHERE status = 'pending'
      ORDER BY webhook_id, next_attempt_at LIMIT 1)
    UNION ALL
    SELECT next.webhook_id, next.next_attempt_at FROM waiting CROSS JOIN LATERAL (
      SELECT webhook_id, next_attempt_at FROM webhook_deliveries
      WHERE status = 'pending' AND webhook_id > waiting.webhook_id ORDER BY webhook_id, next_attempt_at LIMIT 1
    ) AS next
  )`;

/**
 * Locks webhooks with due deliveries and free attempts, and notes their turn: those whose last turn is longest ago come
 * first, so that no backlog of one webhook delays the others. Skips webhooks that are locked.
 */
async function lockReady(query: DirectQuery, claim: Claim): Promise<string[]> {
  const { now, limit, failingLimit } = claim;
  const { text, values } = Prisma.sql`
    WITH RECURSIVE ${waiting}, ${held(now)}, ready AS (
      SELECT webhooks.id, since, claimed_at, failing_since IS NULL AS is_healthy,
        row_number() OVER (PARTITION BY failing_since IS NULL ORDER BY claimed_at NULLS FIRST, since) AS place
      FROM waiting JOIN webhooks ON webhooks.id = webhook_id LEFT JOIN held ON held.webhook_id = webhooks.id
      WHERE since <= ${now} AND active AND ${freeAttempts(claim)} > 0
    ), locked AS (
      SELECT webhooks.id FROM ready JOIN webhooks ON webhooks.id = ready.id
      WHERE active AND (is_healthy OR place <= ${failingLimit}::int)
      ORDER BY ready.claimed_at NULLS FIRST, ready.since LIMIT ${limit}::int FOR NO KEY UPDATE OF webhooks SKIP LOCKED
    )
    UPDATE webhooks SET claimed_at = ${now} FROM locked WHERE webhooks.id = locked.id RETURNING webhooks.id`;
  return (await query({ text, values })).map(({ id }) => id as string);
}

/** Needs a relation `due` with the deliveries as they were before the lease. */
export const claimedColumns = Prisma.sql`
  webhook_deliveries.id, webhook_deliveries.lease_id AS "leaseId", status::text AS status,
  attempt_count AS "attemptCount", due.next_attempt_at AS "nextAttemptAt",
  finished_at AS "finishedAt", webhooks.id AS "webhookId", url, format::text AS format, secret, previous_secret AS "previousSecret",
  previous_secret_until AS "previousSecretUntil", failing_since AS "failingSince", webhook_events.id AS "eventId",
  body, is_test AS "isTest"`;

/**
 * Leases due deliveries exclusively, the oldest of each webhook first, and returns them. Webhooks are locked first, so
 * that the second statement sees the claims of previous lock holders: this enforces the limit per webhook over all
 * instances.
 */
export async function claimDeliveries(client: Database, claim: Claim): Promise<ClaimedDelivery[]> {
  const { leaseId, now, limit } = claim;
  const claimed = await transactDirectly(client, async (query) => {
    const webhookIds = await lockReady(query, claim);
    if (webhookIds.length === 0) return [];
    const { text, values } = Prisma.sql`
      WITH ${held(now)}, ready AS (
        SELECT mine.*, row_number() OVER (PARTITION BY webhooks.id ORDER BY mine.next_attempt_at, mine.id) AS place
        FROM webhooks LEFT JOIN held ON held.webhook_id = webhooks.id CROSS JOIN LATERAL (
          SELECT id, next_attempt_at FROM webhook_deliveries WHERE webhook_id = webhooks.id AND ${isDue(now)}
          ORDER BY next_attempt_at, id LIMIT GREATEST(${freeAttempts(claim)}, 0) FOR UPDATE SKIP LOCKED
        ) AS mine
        WHERE webhooks.id = ANY(${webhookIds}::uuid[]) AND active
      ), due AS (SELECT id, next_attempt_at FROM ready ORDER BY place, next_attempt_at LIMIT ${limit}::int)
      UPDATE webhook_deliveries
      SET lease_id = ${leaseId}::uuid, lease_until = ${leaseEnd(now)}, next_attempt_at = ${leaseEnd(now)}
      FROM due, webhooks, webhook_events
      WHERE webhook_deliveries.id = due.id AND webhooks.id = webhook_deliveries.webhook_id
        AND webhook_events.id = webhook_deliveries.event_id
      RETURNING ${claimedColumns}`;
    return (await query({ text, values })) as ClaimedDelivery[];
  });
  return claimed.sort((one, other) => (one.id < other.id ? -1 : 1));
}

type Take = { id: string; webhookId: string; leaseId: string; now: Date };

/** Leases one delivery of any status; null if it is leased already or its webhook is deactivated. */
export async function takeDelivery(client: Database, { id, webhookId, leaseId, now }: Take) {
  const [taken] = await client.$queryRaw<ClaimedDelivery[]>`
    WITH due AS (
      SELECT id, next_attempt_at FROM webhook_deliveries
      WHERE id = ${id}::uuid AND webhook_id = ${webhookId}::uuid AND (lease_until IS NULL OR lease_until <= ${now})
      FOR UPDATE
    )
    UPDATE webhook_deliveries SET lease_id = ${leaseId}::uuid, lease_until = ${leaseEnd(now)},
      next_attempt_at = CASE WHEN status = 'pending' THEN ${leaseEnd(now)} ELSE due.next_attempt_at END
    FROM due, webhooks, webhook_events
    WHERE webhook_deliveries.id = due.id
      AND webhooks.id = webhook_id AND active AND webhook_events.id = event_id
    RETURNING ${claimedColumns}`;
  return taken ?? null;
}

export type Lease = { id: string; leaseId: string };

/** Releases the lease of a delivery, as if it had not been claimed. */
export async function releaseDelivery(
  client: Database,
  { id, leaseId, nextAttemptAt }: Lease & { nextAttemptAt: Date },
): Promise<void> {
  const where = { id, leaseId, status: "pending" as const };
  await client.webhookDelivery.updateMany({ where, data: { leaseId: null, leaseUntil: null, nextAttemptAt } });
}

/** Cancels up to `limit` pending deliveries to deactivated webhooks, or to one of them, and returns how many. */
export async function cancelInactive(
  client: Database,
  { at, webhookId = null, limit = 1_000 }: { at: Date; webhookId?: string | null; limit?: number },
): Promise<number> {
  return client.$executeRaw`
    WITH cancelled AS (
      SELECT webhook_deliveries.id FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id
      WHERE status = 'pending' AND NOT active AND (lease_until IS NULL OR lease_until <= ${at})
        AND (${webhookId}::uuid IS NULL OR webhook_id = ${webhookId}::uuid)
      LIMIT ${limit} FOR UPDATE OF webhook_deliveries SKIP LOCKED
    )
    UPDATE webhook_deliveries SET status = 'cancelled', finished_at = ${at}, lease_id = NULL, lease_until = NULL
    FROM cancelled WHERE webhook_deliveries.id = cancelled.id`;
}

/** Returns the number of deliveries that are due and not leased. */
export async function countDue(client: Database, now: Date): Promise<number> {
  const where = { status: "pending" as const, nextAttemptAt: { lte: now }, webhook: { active: true } };
  return client.webhookDelivery.count({ where });
}

/** Returns when the next delivery becomes due; null if none is pending. */
export async function findNextDue(client: Database): Promise<Date | null> {
  const where = { status: "pending" as const, webhook: { active: true } };
  const next = await client.webhookDelivery.findFirst({
    where,
    select: { nextAttemptAt: true },
    orderBy: { nextAttemptAt: "asc" },
  });
  return next?.nextAttemptAt ?? null;
}

/** Whether there were attempts at a webhook between two times, not counting tests. */
export async function hadAttempts(client: Database, webhookId: string, from: Date, until: Date): Promise<boolean> {
  const where = { delivery: { webhookId, event: { isTest: false } }, createdAt: { gte: from, lt: until } };
  return (await client.webhookAttempt.findFirst({ where, select: { id: true } })) !== null;
}

/** Moves the start of a webhook's failures to a later time. */
export async function resetFailingSince(
  client: Database,
  webhookId: string,
  failingSince: Date,
  at: Date,
): Promise<void> {
  await client.webhook.updateMany({ where: { id: webhookId, failingSince }, data: { failingSince: at } });
}
