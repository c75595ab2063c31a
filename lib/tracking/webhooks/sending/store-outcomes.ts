import { batchCalls } from "#lib/platform/batch-calls";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";
import type { DeliveryStatus, Lease } from "./store";

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
  /** Whether the attempt shows that the webhook works; null if it says nothing about it. */
  isHealthy: boolean | null;
};

/** The columns of a settlement, as a statement reads them. */
const settlementColumns = Prisma.sql`
  id uuid, lease_id uuid, status text, next_attempt_at timestamptz, finished_at timestamptz, is_healthy boolean,
  attempt_id uuid, at timestamptz, http_status int, error text, response_excerpt text, duration_ms int`;

const toRow = ({ delivery, attempt, next, isHealthy }: Settlement) => ({
  id: delivery.id,
  lease_id: delivery.leaseId,
  is_healthy: isHealthy,
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
 * Records attempts and the new states of their deliveries in one statement, and returns the status of each delivery:
 * `cancelled` instead of `pending` if the webhook was deactivated meanwhile, and null if the lease was lost.
 */
export async function settleDeliveries(
  client: Database,
  settlements: readonly Settlement[],
): Promise<(DeliveryStatus | null)[]> {
  const { text, values } = Prisma.sql`
    WITH results AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(settlements.map(toRow))}::json) AS rows (${settlementColumns})
    ), settled AS (
      UPDATE webhook_deliveries SET attempt_count = attempt_count + 1, lease_id = NULL, lease_until = NULL,
        status = (CASE WHEN results.status = 'pending' AND NOT active THEN 'cancelled' ELSE results.status
          END)::delivery_status,
        finished_at = CASE WHEN results.status = 'pending' AND NOT active THEN at ELSE results.finished_at END,
        next_attempt_at = results.next_attempt_at
      FROM results, webhooks
      WHERE webhook_deliveries.id = results.id AND webhook_deliveries.lease_id = results.lease_id
        AND webhooks.id = webhook_id
      RETURNING webhook_deliveries.id, webhook_id, webhook_deliveries.status::text AS final_status, is_healthy, at,
        attempt_id, http_status, error, response_excerpt, duration_ms
    ), ${health}, attempts AS (
      INSERT INTO webhook_attempts (id, delivery_id, created_at, http_status, error, response_excerpt, duration_ms)
      SELECT attempt_id, id, at, http_status, error, response_excerpt, duration_ms FROM settled
    )
    SELECT id, final_status AS status FROM settled`;
  const rows = (await queryDirectly(client, { text, values })) as { id: string; status: DeliveryStatus }[];
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  return settlements.map(({ delivery }) => statuses.get(delivery.id) ?? null);
}

/** Records the result of an attempt as `settleDeliveries` does, together with those that end at about the same time. */
export const settleDelivery = batchCalls(settleDeliveries, { maxCount: 64 });
