import { type Database, queryDirectly } from "#lib/platform/database/index";
import { isFollower } from "#lib/tracking/index";

type Row = {
  now: Date;
  fetches: Record<string, number>;
  vendors_due: number;
  longest_overdue_s: number;
  deliveries_waiting: number;
  oldest_due_delivery_s: number;
  deliveries: Record<string, number>;
  mails_waiting: number;
  mails: Record<string, number>;
  completed: Record<string, number>;
};

/** A new object of the statement's groups. */
const groups = (select: string) => `(SELECT COALESCE(json_object_agg(name, value), '{}') FROM (${select}) AS grouped)`;
/** Seconds from a time to now, at least 0; 0 for null. */
const secondsSince = (time: string) => `GREATEST(0, COALESCE(extract(epoch FROM now() - ${time}), 0))::float8`;

const vendorIsDue = `status <> 'paused' AND origin <> 'sample' AND next_fetch_at <= now() AND NOT ${isFollower}`;

/**
 * Returns what is due and what happened in the last hour, in one statement. Ids sort by time, so `firstAttemptId`, the
 * lowest id of that hour, makes the attempts an index range.
 */
export async function readActivity(
  client: Database,
  { jobs, firstAttemptId }: { jobs: readonly string[]; firstAttemptId: string },
): Promise<Row> {
  const text = `SELECT now() AS now,
    ${groups(`SELECT outcome AS name, count(*)::int AS value FROM fetches
      WHERE created_at > now() - interval '1 hour' GROUP BY outcome`)} AS fetches,
    (SELECT count(*)::int FROM vendors v WHERE ${vendorIsDue}) AS vendors_due,
    (SELECT ${secondsSince("min(next_fetch_at)")} FROM vendors v WHERE ${vendorIsDue}) AS longest_overdue_s,
    (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'pending') AS deliveries_waiting,
    (SELECT ${secondsSince("min(next_attempt_at)")} FROM webhook_deliveries
      WHERE status = 'pending' AND next_attempt_at <= now()) AS oldest_due_delivery_s,
    ${groups(`SELECT CASE WHEN status = 'pending' THEN 'retrying' ELSE status::text END AS name,
      count(DISTINCT webhook_deliveries.id)::int AS value
      FROM webhook_attempts JOIN webhook_deliveries ON webhook_deliveries.id = delivery_id
      WHERE webhook_attempts.id >= $2::uuid GROUP BY 1`)} AS deliveries,
    (SELECT count(*)::int FROM digest_mails WHERE status = 'pending') AS mails_waiting,
    ${groups(`SELECT status::text AS name, count(*)::int AS value FROM digest_mails
      WHERE finished_at > now() - interval '1 hour' GROUP BY status
      UNION ALL SELECT 'retrying', count(*)::int FROM digest_mails WHERE status = 'pending' AND attempt_count > 0`)} AS mails,
    ${groups(`SELECT name, ${secondsSince("finished_at")} AS value FROM unnest($1::text[]) AS name CROSS JOIN LATERAL (
      SELECT finished_at FROM cron_runs WHERE job = name AND status = 'completed' ORDER BY id DESC LIMIT 1
      ) AS run`)} AS completed`;
  const [row] = await queryDirectly(client, { text, values: [[...jobs], firstAttemptId] });
  return row as Row;
}
