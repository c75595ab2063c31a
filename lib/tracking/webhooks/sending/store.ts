import type { Database, Transaction } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";

type DeliveryStatus = "pending" | "delivered" | "dead" | "cancelled";

/** A delivery that somebody has in hand, with all that an attempt needs. */
export type ClaimedDelivery = {
  id: string;
  leaseId: string;
  status: DeliveryStatus;
  /** Attempts until now. */
  attemptCount: number;
  nextAttemptAt: Date;
  finishedAt: Date | null;
  webhookId: string;
  url: string;
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: Date | null;
  failingSince: Date | null;
  eventId: string;
  body: string;
  isTest: boolean;
};

/** How long an attempt has its delivery for itself, in milliseconds: three times what it may take. */
const leaseMs = 30_000;
/** Attempts at one webhook at a time, over all instances; of one that fails only one, so that it costs little. */
const attemptsAtOnce = 4;
const failingAttemptsAtOnce = 1;

type Claim = {
  leaseId: string;
  now: Date;
  /** Most deliveries to claim. */
  limit: number;
  /** Most webhooks among them that have been failing. */
  failingLimit: number;
};

const transactionTimes = { maxWait: 10_000, timeout: 20_000 };

const untilOf = (now: Date) => new Date(now.getTime() + leaseMs);

/** A lease moves the next attempt behind its own end: what is due is nobody's, and found by one index. */
const isDue = (now: Date) => Prisma.sql`status = 'pending' AND next_attempt_at <= ${now}`;

/** Attempts that are under way, by webhook. */
const held = (now: Date) => Prisma.sql`
  held AS (
    SELECT webhook_id, count(*) AS count FROM webhook_deliveries
    WHERE status = 'pending' AND next_attempt_at > ${now} AND next_attempt_at <= ${untilOf(now)} AND lease_until > ${now}
    GROUP BY webhook_id
  )`;

const room = Prisma.sql`
  CASE WHEN webhooks.failing_since IS NULL THEN ${attemptsAtOnce}::int ELSE ${failingAttemptsAtOnce}::int END
    - COALESCE(held.count, 0)`;

/** Locks webhooks that have room and something due, those that wait longest first, and leaves out locked ones. */
async function lockReady(transaction: Transaction, { now, limit, failingLimit }: Claim): Promise<string[]> {
  const rows = await transaction.$queryRaw<{ id: string }[]>`
    WITH ${held(now)}, due AS (
      SELECT webhook_id, min(next_attempt_at) AS since FROM webhook_deliveries WHERE ${isDue(now)} GROUP BY webhook_id
    ), ready AS (
      SELECT webhooks.id, due.since, failing_since IS NULL AS is_well,
        row_number() OVER (PARTITION BY failing_since IS NULL ORDER BY due.since) AS place
      FROM due JOIN webhooks ON webhooks.id = due.webhook_id LEFT JOIN held ON held.webhook_id = webhooks.id
      WHERE active AND ${room} > 0
    )
    SELECT webhooks.id FROM ready JOIN webhooks ON webhooks.id = ready.id
    WHERE active AND (is_well OR place <= ${failingLimit}::int)
    ORDER BY ready.since LIMIT ${limit} FOR NO KEY UPDATE OF webhooks SKIP LOCKED`;
  return rows.map(({ id }) => id);
}

const claimedColumns = Prisma.sql`
  webhook_deliveries.id, webhook_deliveries.lease_id AS "leaseId", status::text AS status,
  attempt_count AS "attemptCount", webhook_deliveries.next_attempt_at AS "nextAttemptAt",
  finished_at AS "finishedAt", webhooks.id AS "webhookId", url, secret, previous_secret AS "previousSecret",
  previous_secret_until AS "previousSecretUntil", failing_since AS "failingSince", webhook_events.id AS "eventId",
  body, is_test AS "isTest"`;

/**
 * Takes due deliveries in hand, the oldest first, each for nobody else. Webhooks are locked first, so that the second
 * statement sees what others who held them have claimed: the bound of attempts at one webhook holds over all instances.
 */
export async function claimDeliveries(client: Database, claim: Claim): Promise<ClaimedDelivery[]> {
  const { leaseId, now, limit } = claim;
  const claimed = await client.$transaction(async (transaction) => {
    const webhookIds = await lockReady(transaction, claim);
    if (webhookIds.length === 0) return [];
    return transaction.$queryRaw<ClaimedDelivery[]>`
      WITH ${held(now)}, chosen AS (
        SELECT mine.id FROM webhooks LEFT JOIN held ON held.webhook_id = webhooks.id CROSS JOIN LATERAL (
          SELECT id, next_attempt_at FROM webhook_deliveries WHERE webhook_id = webhooks.id AND ${isDue(now)}
          ORDER BY next_attempt_at, id LIMIT GREATEST(${room}, 0) FOR UPDATE SKIP LOCKED
        ) AS mine
        WHERE webhooks.id::text = ANY(${webhookIds}) AND active
        ORDER BY mine.next_attempt_at, mine.id LIMIT ${limit}
      )
      UPDATE webhook_deliveries
      SET lease_id = ${leaseId}::uuid, lease_until = ${untilOf(now)}, next_attempt_at = ${untilOf(now)}
      FROM chosen, webhooks, webhook_events
      WHERE webhook_deliveries.id = chosen.id AND webhooks.id = webhook_deliveries.webhook_id
        AND webhook_events.id = webhook_deliveries.event_id
      RETURNING ${claimedColumns}`;
  }, transactionTimes);
  return claimed.sort((one, other) => (one.id < other.id ? -1 : 1));
}

type Take = { id: string; webhookId: string; leaseId: string; now: Date };

/** Takes one delivery in hand, whatever its status; null where somebody has it, or its webhook has ended. */
export async function takeDelivery(client: Database, { id, webhookId, leaseId, now }: Take) {
  const [taken] = await client.$queryRaw<ClaimedDelivery[]>`
    UPDATE webhook_deliveries SET lease_id = ${leaseId}::uuid, lease_until = ${untilOf(now)},
      next_attempt_at = CASE WHEN status = 'pending' THEN ${untilOf(now)} ELSE next_attempt_at END
    FROM webhooks, webhook_events
    WHERE webhook_deliveries.id = ${id}::uuid AND webhook_id = ${webhookId}::uuid
      AND (lease_until IS NULL OR lease_until <= ${now})
      AND webhooks.id = webhook_id AND active AND webhook_events.id = event_id
    RETURNING ${claimedColumns}`;
  return taken ?? null;
}

type Lease = { id: string; leaseId: string };

/** Gives a delivery back as if it had not been taken. */
export async function releaseDelivery(client: Database, { id, leaseId }: Lease, now: Date): Promise<void> {
  const where = { id, leaseId, status: "pending" as const };
  await client.webhookDelivery.updateMany({ where, data: { leaseId: null, leaseUntil: null, nextAttemptAt: now } });
}

export type Settlement = {
  delivery: Lease;
  attempt: {
    id: string;
    at: Date;
    httpStatus: number | null;
    error: string | null;
    responseExcerpt: string | null;
    durationMs: number;
  };
  next: { status: DeliveryStatus; nextAttemptAt: Date; finishedAt: Date | null };
  /** What the attempt says of the webhook; null: nothing. */
  isWell: boolean | null;
};

/**
 * Writes an attempt down and what becomes of its delivery, both or neither, in one statement. Gives the delivery's status:
 * what would wait is cancelled where the webhook ended meanwhile. Null where the lease was lost to somebody else.
 */
export async function settleDelivery(client: Database, settlement: Settlement): Promise<DeliveryStatus | null> {
  const { delivery, attempt, next, isWell } = settlement;
  const { status, nextAttemptAt, finishedAt } = next;
  const [settled] = await client.$queryRaw<{ status: DeliveryStatus }[]>`
    WITH settled AS (
      UPDATE webhook_deliveries SET attempt_count = attempt_count + 1, lease_id = NULL, lease_until = NULL,
        status = (CASE WHEN ${status} = 'pending' AND NOT active THEN 'cancelled' ELSE ${status} END)::delivery_status,
        finished_at = CASE WHEN ${status} = 'pending' AND NOT active THEN ${attempt.at}::timestamptz
          ELSE ${finishedAt}::timestamptz END,
        next_attempt_at = ${nextAttemptAt}
      FROM webhooks
      WHERE webhook_deliveries.id = ${delivery.id}::uuid AND lease_id = ${delivery.leaseId}::uuid
        AND webhooks.id = webhook_id
      RETURNING webhook_deliveries.id, webhook_id, status::text AS status
    ), standing AS (
      UPDATE webhooks SET failing_since = CASE WHEN ${isWell}::boolean THEN NULL ELSE ${attempt.at}::timestamptz END
      FROM settled WHERE webhooks.id = settled.webhook_id AND (failing_since IS NULL) <> ${isWell}::boolean
    )
    INSERT INTO webhook_attempts
      (id, delivery_id, created_at, http_status, error, response_excerpt, duration_ms)
    SELECT ${attempt.id}::uuid, id, ${attempt.at}, ${attempt.httpStatus}, ${attempt.error}, ${attempt.responseExcerpt},
      ${attempt.durationMs}
    FROM settled
    RETURNING (SELECT status FROM settled)`;
  return settled?.status ?? null;
}

/** Cancels what waits for webhooks that have ended, or for one of them; gives how many there were, at most `limit`. */
export async function cancelEnded(
  client: Database,
  { at, webhookId = null, limit = 1_000 }: { at: Date; webhookId?: string | null; limit?: number },
): Promise<number> {
  return client.$executeRaw`
    UPDATE webhook_deliveries SET status = 'cancelled', finished_at = ${at}, lease_id = NULL, lease_until = NULL
    WHERE id IN (
      SELECT webhook_deliveries.id FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id
      WHERE status = 'pending' AND NOT active AND (lease_until IS NULL OR lease_until <= ${at})
        AND (${webhookId}::uuid IS NULL OR webhook_id = ${webhookId}::uuid)
      LIMIT ${limit} FOR UPDATE OF webhook_deliveries SKIP LOCKED
    )`;
}

/** Deliveries that are due and nobody's. */
export async function countDue(client: Database, now: Date): Promise<number> {
  const where = { status: "pending" as const, nextAttemptAt: { lte: now }, webhook: { active: true } };
  return client.webhookDelivery.count({ where });
}

/** When the next delivery becomes due; null where none waits. */
export async function findNextDue(client: Database): Promise<Date | null> {
  const where = { status: "pending" as const, webhook: { active: true } };
  const next = await client.webhookDelivery.findFirst({
    where,
    select: { nextAttemptAt: true },
    orderBy: { nextAttemptAt: "asc" },
  });
  return next?.nextAttemptAt ?? null;
}

type Ending = { webhookId: string; at: Date; reason: string };

/** Ends a webhook whose receiver is gone; false where it had ended. */
export async function deactivateWebhook(client: Database, { webhookId, at, reason }: Ending): Promise<boolean> {
  const data = { active: false, deactivatedAt: at, deactivatedReason: reason, updatedAt: at };
  return (await client.webhook.updateMany({ where: { id: webhookId, active: true }, data })).count === 1;
}

/** The same, unless an attempt has succeeded since; false then. */
export async function deactivateFailing(
  client: Database,
  { webhookId, at, reason, failingSince }: Ending & { failingSince: Date },
): Promise<boolean> {
  const data = { active: false, deactivatedAt: at, deactivatedReason: reason, updatedAt: at };
  return (await client.webhook.updateMany({ where: { id: webhookId, active: true, failingSince }, data })).count === 1;
}

/** Whether attempts at a webhook were made between two moments. */
export async function hadAttempts(client: Database, webhookId: string, from: Date, until: Date): Promise<boolean> {
  const where = { delivery: { webhookId, event: { isTest: false } }, createdAt: { gte: from, lt: until } };
  return (await client.webhookAttempt.findFirst({ where, select: { id: true } })) !== null;
}

/** Counts a webhook's failures from a later moment on. */
export async function restartFailing(client: Database, webhookId: string, failingSince: Date, at: Date): Promise<void> {
  await client.webhook.updateMany({ where: { id: webhookId, failingSince }, data: { failingSince: at } });
}
