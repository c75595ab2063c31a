import { batchCalls } from "#lib/platform/batch-calls";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import { Prisma, type WebhookAttempt } from "#prisma/generated/client";
import { type ClaimedDelivery, claimedColumns, type DeliveryStatus, isDue, type Lease, leaseEnd } from "./store";

export type Settlement = {
  delivery: Lease;
  attempt: Pick<WebhookAttempt, "id" | "httpStatus" | "error" | "responseExcerpt" | "durationMs"> & { at: Date };
  next: { status: DeliveryStatus; nextAttemptAt: Date; finishedAt: Date | null };
  /** Whether the attempt shows that the webhook works; null if it says nothing about it. */
  isHealthy: boolean | null;
  /** A lease for the webhook's next due delivery, which replaces the settled one; null if the run does not go on. */
  nextLeaseId: string | null;
};

export type Settled = {
  /** `cancelled` instead of `pending` if the webhook was deactivated meanwhile, and null if the lease was lost. */
  status: DeliveryStatus | null;
  /** The webhook's next delivery, leased; null if none is due, or the webhook is failing or deactivated. */
  following: ClaimedDelivery | null;
};

/** The columns of a settlement, as a statement reads them. */
const settlementColumns = Prisma.sql`
  id uuid, lease_id uuid, status text, next_attempt_at timestamptz, finished_at timestamptz, is_healthy boolean,
  next_lease_id uuid, attempt_id uuid, at timestamptz, http_status int, error text, response_excerpt text, duration_ms int`;

const toRow = ({ delivery, attempt, next, isHealthy, nextLeaseId }: Settlement) => ({
  id: delivery.id,
  lease_id: delivery.leaseId,
  is_healthy: isHealthy,
  next_lease_id: nextLeaseId,
  attempt_id: attempt.id,
  at: attempt.at,
  status: next.status,
  next_attempt_at: next.nextAttemptAt,
  finished_at: next.finishedAt,
  http_status: attempt.httpStatus,
  error: attempt.error,
  response_excerpt: attempt.responseExcerpt,
  duration_ms: attempt.durationMs,
});

/** Since when a webhook has been failing after its settled deliveries: the first failure after the last success. */
const nextFailingSince = Prisma.sql`CASE WHEN has_success THEN failed_at ELSE COALESCE(failing_since, failed_at) END`;

/** Updates the health of the webhooks. They are locked in the order of their ids, so that two batches cannot deadlock. */
const health = Prisma.sql`
  judged AS (
    SELECT webhook_id, is_healthy, at, max(at) FILTER (WHERE is_healthy) OVER (PARTITION BY webhook_id) AS succeeded_at
    FROM settled WHERE is_healthy IS NOT NULL
  ), health AS (
    SELECT webhook_id, bool_or(is_healthy) AS has_success,
      min(at) FILTER (WHERE NOT is_healthy AND at > COALESCE(succeeded_at, '-infinity')) AS failed_at
    FROM judged GROUP BY webhook_id
  ), changed AS (
    SELECT id, ${nextFailingSince} AS failing_since FROM webhooks JOIN health ON webhook_id = id
    WHERE failing_since IS DISTINCT FROM ${nextFailingSince} ORDER BY id FOR NO KEY UPDATE OF webhooks
  ), updated AS (
    UPDATE webhooks SET failing_since = changed.failing_since FROM changed WHERE webhooks.id = changed.id
  )`;

/**
 * Leases the next due deliveries of the webhooks that work, one for each settled one. Each lease replaces another, so the limit
 * per webhook stays, and no webhook has to be locked.
 */
const following = (now: Date) => Prisma.sql`
  free AS (
    SELECT settled.webhook_id, next_lease_id, row_number() OVER (PARTITION BY settled.webhook_id) AS place
    FROM settled JOIN webhooks ON webhooks.id = webhook_id LEFT JOIN health ON health.webhook_id = webhooks.id
    WHERE next_lease_id IS NOT NULL AND active AND ${nextFailingSince} IS NULL
  ), due AS (
    SELECT mine.*, free.webhook_id, row_number() OVER (PARTITION BY free.webhook_id ORDER BY mine.next_attempt_at, mine.id) AS place
    FROM (SELECT webhook_id, count(*) AS count FROM free GROUP BY webhook_id) AS free CROSS JOIN LATERAL (
      SELECT id, next_attempt_at FROM webhook_deliveries
      WHERE webhook_id = free.webhook_id AND ${isDue(now)} AND id NOT IN (SELECT id FROM results)
      ORDER BY next_attempt_at, id LIMIT free.count FOR UPDATE SKIP LOCKED
    ) AS mine
  ), following AS (
    UPDATE webhook_deliveries
    SET lease_id = next_lease_id, lease_until = ${leaseEnd(now)}, next_attempt_at = ${leaseEnd(now)}
    FROM due JOIN free USING (webhook_id, place), webhooks, webhook_events
    WHERE webhook_deliveries.id = due.id AND webhooks.id = due.webhook_id AND webhook_events.id = event_id
    RETURNING ${claimedColumns}
  )`;

/** Records attempts and the new states of their deliveries, and leases the next ones, in one statement. */
export async function settleDeliveries(
  client: Database,
  settlements: readonly Settlement[],
  now: Date,
): Promise<Settled[]> {
  const { text, values } = Prisma.sql`
    WITH results AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(settlements.map(toRow))}::json) AS rows (${settlementColumns})
    ), settled AS (
      UPDATE webhook_deliveries SET attempt_count = attempt_count + 1, lease_id = NULL, lease_until = NULL,
        status = (CASE WHEN results.status = 'pending' AND NOT active THEN 'cancelled' ELSE results.status
          END)::delivery_status,
        finished_at = CASE WHEN results.status = 'pending' AND NOT active
          THEN at + duration_ms * interval '1 millisecond' ELSE results.finished_at END,
        next_attempt_at = results.next_attempt_at
      FROM results, webhooks
      WHERE webhook_deliveries.id = results.id AND webhook_deliveries.lease_id = results.lease_id
        AND webhooks.id = webhook_id
      RETURNING webhook_deliveries.id, webhook_id, webhook_deliveries.status::text AS final_status, is_healthy, at,
        next_lease_id, attempt_id, http_status, error, response_excerpt, duration_ms
    ), ${health}, attempts AS (
      INSERT INTO webhook_attempts (id, delivery_id, created_at, http_status, error, response_excerpt, duration_ms)
      SELECT attempt_id, id, at, http_status, error, response_excerpt, duration_ms FROM settled
    ), ${following(now)}
    SELECT attempt_id AS "attemptId", final_status AS "settledStatus", following.*
    FROM settled LEFT JOIN following ON "leaseId" = next_lease_id`;
  const rows = (await queryDirectly(client, { text, values })) as (ClaimedDelivery & {
    attemptId: string;
    settledStatus: DeliveryStatus;
  })[];
  const settled = new Map(
    rows.map(({ attemptId, settledStatus: status, ...delivery }) => [
      attemptId,
      // Only webhooks that work now get one.
      { status, following: delivery.id === null ? null : { ...delivery, failingSince: null } },
    ]),
  );
  // Two attempts can be at the same delivery, after its first lease expired.
  return settlements.map(({ attempt }) => settled.get(attempt.id) ?? { status: null, following: null });
}

/** Records the result of an attempt as `settleDeliveries` does, together with those that end at about the same time. */
export const settleDelivery = batchCalls(
  (client: Database, settlements: readonly (Settlement & { now: Date })[]) =>
    settleDeliveries(client, settlements, settlements.at(-1)!.now),
  { maxCount: 64 },
);
