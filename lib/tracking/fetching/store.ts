import { batchCalls } from "#lib/platform/batch-calls";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import type { RobotsRule } from "./robots-rules";

/** Bounds of the requests to one host, in milliseconds. */
type SlotTimes = {
  /** How long the slot is held unless it is extended. */
  leaseMs: number;
  /** Time from the start of one request to the next one; 0 to start without regard to others. */
  spacingMs: number;
};

type HostSlot = { host: string; id: string };

/**
 * Returns a function that takes one of a host's two slots, those of concurrent calls in one statement. It returns 0, or the
 * time to wait before another attempt, in milliseconds.
 */
export function slotTaker({ leaseMs, spacingMs }: SlotTimes): (client: Database, slot: HostSlot) => Promise<number> {
  return batchCalls(
    async (client: Database, slots: readonly HostSlot[]) => {
      const rows = await queryDirectly(client, {
        text: takeStatement,
        values: [slots.map(({ host }) => host), slots.map(({ id }) => id), spacingMs, leaseMs],
      });
      const rowOf = new Map(rows.map((row) => [row.host, row]));
      return slots.map(({ host, id }) => {
        const row = rowOf.get(host);
        if (row?.first_by === id || row?.second_by === id) return 0;
        return Math.max(slotRetryMs, spacingMs > 0 ? Math.ceil(Number(row?.wait_ms)) : 0);
      });
    },
    { maxCount: 64, gather: { waitMs: 5, enoughCount: 16 } },
  );
}

/** One slot of each host at a time, and in one order in all processes, so that no two wait for each other. */
const takeStatement = `
  INSERT INTO host_slots AS s (host, next_start_at, first_by, first_until, second_until)
  SELECT host, now + $3 * interval '1 ms', id, now + $4 * interval '1 ms', '-infinity' FROM (
    SELECT DISTINCT ON (host) host, id, clock_timestamp() AS now FROM unnest($1::text[], $2::uuid[]) AS wanted (host, id)
    ORDER BY host) AS wanted
  ON CONFLICT (host) DO UPDATE SET (next_start_at, first_by, first_until, second_by, second_until) = (
    SELECT CASE WHEN may_start AND $3 > 0 THEN now + $3 * interval '1 ms' ELSE s.next_start_at END,
      CASE WHEN may_start AND is_first THEN excluded.first_by ELSE s.first_by END,
      CASE WHEN may_start AND is_first THEN now + $4 * interval '1 ms' ELSE s.first_until END,
      CASE WHEN may_start AND NOT is_first THEN excluded.first_by ELSE s.second_by END,
      CASE WHEN may_start AND NOT is_first THEN now + $4 * interval '1 ms' ELSE s.second_until END
    FROM (SELECT now, s.first_until <= now AS is_first,
      ($3 = 0 OR s.next_start_at <= now) AND (s.first_until <= now OR s.second_until <= now) AS may_start
      FROM (SELECT clock_timestamp() AS now) AS clock) AS state)
  RETURNING host, first_by, second_by, extract(epoch FROM next_start_at - clock_timestamp()) * 1000 AS wait_ms`;

/** Time between attempts while both slots of a host are taken. */
const slotRetryMs = 200;

/** Holds a slot for another while; with 0 milliseconds, releases it. */
export async function holdHostSlot(client: Database, { host, id }: HostSlot, leaseMs: number): Promise<void> {
  await queryDirectly(client, {
    text: `UPDATE host_slots SET
      first_until = CASE WHEN first_by = $2 THEN clock_timestamp() + $3 * interval '1 ms' ELSE first_until END,
      second_until = CASE WHEN second_by = $2 THEN clock_timestamp() + $3 * interval '1 ms' ELSE second_until END
      WHERE host = $1`,
    values: [host, id, leaseMs],
  });
}

/** Deletes the slots of hosts that no request was sent to since a time. */
export async function pruneHostSlots(client: Database, before: Date): Promise<number> {
  return client.$executeRaw`
    DELETE FROM host_slots WHERE greatest(next_start_at, first_until, second_until) < ${before}`;
}

/** The rules of an origin, such as `https://docs.example.com`, and until when they are used. */
export type StoredRobotsRules = { origin: string; rules: readonly RobotsRule[]; expiresAt: Date };

/** Returns the stored rules of origins that have not expired. */
export async function readRobotsRules(
  client: Database,
  origins: readonly string[],
  now: Date,
): Promise<StoredRobotsRules[]> {
  const rows = await queryDirectly(client, {
    text: `SELECT origin, rules, expires_at AS "expiresAt" FROM robots_rules WHERE origin = ANY($1) AND expires_at > $2`,
    values: [origins, now],
  });
  return rows as StoredRobotsRules[];
}

/** Stores rules in place of older ones. */
export async function writeRobotsRules(client: Database, rows: readonly StoredRobotsRules[]): Promise<void> {
  const newest = new Map(rows.map((row) => [row.origin, row]));
  // In one order in all processes, so that no two wait for each other.
  const sorted = [...newest.values()].sort((a, b) => (a.origin < b.origin ? -1 : 1));
  await queryDirectly(client, {
    text: `INSERT INTO robots_rules (origin, rules, expires_at)
      SELECT origin, rules, "expiresAt" FROM json_to_recordset($1::json) AS row (origin text, rules jsonb, "expiresAt" timestamptz)
      ON CONFLICT (origin) DO UPDATE SET rules = excluded.rules, expires_at = excluded.expires_at`,
    values: [JSON.stringify(sorted)],
  });
}

export async function pruneRobotsRules(client: Database, before: Date): Promise<number> {
  return client.$executeRaw`DELETE FROM robots_rules WHERE expires_at < ${before}`;
}
