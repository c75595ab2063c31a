import { decompressText } from "#lib/platform/compress-text";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import type { VendorAccess } from "#lib/tracking/vendor-access/index";
import { Prisma } from "#prisma/generated/client";
import type { PreparedVersion } from "./compute-version";
import type { RobotsRule } from "./fetching/robots-rules";

/** Columns of a `SnapshotMeta`. */
export const snapshotMetaColumns = {
  contentHash: true,
  byteSize: true,
  lineCount: true,
  linkCount: true,
  fetchedAt: true,
} as const;

export type SnapshotMetaRow = {
  contentHash: string;
  byteSize: number;
  lineCount: number;
  linkCount: number;
  fetchedAt: Date;
};

export type LatestSnapshot = SnapshotMetaRow & { id: string; securityScore: number };

/** Returns a vendor's access with its latest snapshot, without the content. */
export async function findLatestSnapshot(
  client: Database,
  slug: string,
): Promise<(VendorAccess & { latestSnapshot: LatestSnapshot | null }) | null> {
  return client.vendor.findUnique({
    where: { slug },
    select: {
      isPublic: true,
      accountId: true,
      latestSnapshot: { select: { ...snapshotMetaColumns, id: true, securityScore: true } },
    },
  });
}

/** Returns the latest snapshots of a vendor, newest first, without their content. */
export async function findSnapshots(client: Database, vendorId: string, limit: number) {
  return client.snapshot.findMany({
    where: { vendorId },
    orderBy: { id: "desc" },
    take: limit,
    select: { ...snapshotMetaColumns, id: true, httpStatus: true, responseTimeMs: true, securityScore: true },
  });
}

/** Returns the text of a snapshot. Throws if there is none. */
export async function readSnapshotText(client: Database, snapshotId: string): Promise<string> {
  const [row] = await queryDirectly(client, {
    text: `SELECT compressed FROM snapshots JOIN contents ON contents.hash = snapshots.content_hash
      WHERE snapshots.id = $1`,
    values: [snapshotId],
  });
  if (!row) throw new Error(`There is no snapshot ${snapshotId}.`);
  return decompressText(row.compressed as Uint8Array);
}

/** A version to store: its ids, and how and when it was fetched. */
type NewSnapshot = {
  version: PreparedVersion;
  snapshotId: string;
  /** Null for a vendor's first version. */
  diffId: string | null;
  at: Date;
  httpStatus: number;
  responseTimeMs: number;
  /** How often its analysis has been started. */
  analysisAttempts: number;
};

/**
 * Returns the parts of a WITH clause that store a version with its content and diff, if its part `vendor` has returned the
 * vendor. The caller's statement also makes the version the vendor's latest.
 */
export function versionParts({ version, snapshotId, diffId, at, ...fetched }: NewSnapshot): Prisma.Sql {
  const { contentHash, byteSize, compressedContent, previousSnapshotId, diff } = version;
  const { lineCount, linkCount, securityScore, securityFindings } = version;
  const { httpStatus, responseTimeMs, analysisAttempts } = fetched;
  // Updating an existing row of the content locks it, so that `prune` cannot delete it as unused.
  const parts = Prisma.sql`content AS (
      INSERT INTO contents (hash, compressed, byte_size)
      SELECT ${contentHash}, ${compressedContent}, ${byteSize} FROM vendor
      ON CONFLICT (hash) DO UPDATE SET byte_size = excluded.byte_size
    ), snapshot AS (
      INSERT INTO snapshots (id, vendor_id, content_hash, byte_size, line_count, link_count, created_at, fetched_at,
        http_status, response_time_ms, security_score, security_findings, analysis_attempts)
      SELECT ${snapshotId}::uuid, id, ${contentHash}, ${byteSize}, ${lineCount}, ${linkCount}, ${at}, ${at},
        ${httpStatus}, ${responseTimeMs}, ${securityScore}, ${JSON.stringify(securityFindings)}::jsonb, ${analysisAttempts}
      FROM vendor
    )`;
  if (!diff) return parts;
  return Prisma.sql`${parts}, diff AS (
      INSERT INTO diffs (id, vendor_id, previous_snapshot_id, current_snapshot_id, lines_added, lines_removed,
        lines_moved, links_added, links_removed, exact, compressed_text, created_at)
      SELECT ${diffId}::uuid, id, ${previousSnapshotId}::uuid, ${snapshotId}::uuid, ${diff.linesAdded},
        ${diff.linesRemoved}, ${diff.linesMoved}, ${diff.linksAdded}::text[], ${diff.linksRemoved}::text[],
        ${diff.exact}, ${diff.compressedText}, ${at}
      FROM vendor
    )`;
}

/** Deletes snapshots superseded before a time, with the diffs that follow them. The latest snapshots are kept. */
export async function pruneSnapshots(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM snapshots
    WHERE id IN (SELECT previous_snapshot_id FROM diffs WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit})`;
}

/** Deletes superseded snapshots of the vendors of accounts that are older than the history of the account's tier. */
export async function pruneCustomSnapshots(
  client: Database,
  { historyStarts, limit }: { historyStarts: readonly { tier: string; before: Date }[]; limit: number },
): Promise<number> {
  const starts = JSON.stringify(historyStarts);
  return client.$executeRaw`
    DELETE FROM snapshots WHERE id IN (
      SELECT d.previous_snapshot_id FROM json_to_recordset(${starts}::json) AS start (tier text, before timestamptz)
      JOIN accounts a ON a.tier::text = start.tier
      JOIN vendors v ON v.account_id = a.id
      JOIN diffs d ON d.vendor_id = v.id AND d.created_at < start.before
      LIMIT ${limit})`;
}

/** Deletes content that no snapshot refers to any more. */
export async function pruneContents(client: Database, limit: number): Promise<number> {
  return client.$executeRaw`
    DELETE FROM contents WHERE hash IN (
      SELECT hash FROM contents
      WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE snapshots.content_hash = contents.hash)
      LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`;
}

/** Bounds of the requests to one host, in milliseconds. */
type SlotTimes = {
  /** How long the slot is held unless it is extended. */
  leaseMs: number;
  /** Time from the start of one request to the next one; 0 to start without regard to others. */
  spacingMs: number;
};

/** Takes one of a host's two slots. Returns 0, or the time to wait before another attempt, in milliseconds. */
export async function takeHostSlot(
  client: Database,
  { host, id }: { host: string; id: string },
  { leaseMs, spacingMs }: SlotTimes,
): Promise<number> {
  const [row] = await queryDirectly(client, {
    text: `WITH clock AS (SELECT clock_timestamp() AS now)
      INSERT INTO host_slots AS s (host, next_start_at, first_by, first_until, second_until)
      SELECT $1, now + $3 * interval '1 ms', $2::uuid, now + $4 * interval '1 ms', '-infinity' FROM clock
      ON CONFLICT (host) DO UPDATE SET (next_start_at, first_by, first_until, second_by, second_until) = (
        SELECT CASE WHEN may_start AND $3 > 0 THEN now + $3 * interval '1 ms' ELSE s.next_start_at END,
          CASE WHEN may_start AND is_first THEN $2::uuid ELSE s.first_by END,
          CASE WHEN may_start AND is_first THEN now + $4 * interval '1 ms' ELSE s.first_until END,
          CASE WHEN may_start AND NOT is_first THEN $2::uuid ELSE s.second_by END,
          CASE WHEN may_start AND NOT is_first THEN now + $4 * interval '1 ms' ELSE s.second_until END
        FROM (SELECT now, s.first_until <= now AS is_first,
          ($3 = 0 OR s.next_start_at <= now) AND (s.first_until <= now OR s.second_until <= now) AS may_start
          FROM (SELECT clock_timestamp() AS now) AS clock) AS state)
      RETURNING $2::uuid IN (first_by, second_by) AS taken,
        extract(epoch FROM next_start_at - clock_timestamp()) * 1000 AS wait_ms`,
    values: [host, id, spacingMs, leaseMs],
  });
  if (row?.taken === true) return 0;
  return Math.max(slotRetryMs, spacingMs > 0 ? Math.ceil(Number(row?.wait_ms)) : 0);
}

/** Time between attempts while both slots of a host are taken. */
const slotRetryMs = 200;

/** Holds a slot for another while; with 0 milliseconds, releases it. */
export async function holdHostSlot(
  client: Database,
  { host, id }: { host: string; id: string },
  leaseMs: number,
): Promise<void> {
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
