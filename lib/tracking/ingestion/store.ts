import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { insertVersion, type PreparedVersion } from "#lib/tracking/snapshots/index";
import { Prisma } from "#prisma/generated/client";
import type { FetchStatus, NextFetchStatus } from "./fetch-status";

/** A vendor to fetch, as it was read. */
export type DueVendor = FetchStatus & {
  id: string;
  slug: string;
  domain: string;
  llmsTxtUrl: string;
  etag: string | null;
  lastModified: string | null;
  /** When it was due. Every fetch changes it, so that of two concurrent fetches only the first is stored. */
  nextFetchAt: Date;
  latestSnapshotId: string | null;
  /** SHA-256 of the latest snapshot's content. */
  latestHash: string | null;
};

const dueVendorColumns = Prisma.sql`v.id, v.slug, v.domain, v.llms_txt_url AS "llmsTxtUrl", v.etag,
  v.last_modified AS "lastModified", v.next_fetch_at AS "nextFetchAt", v.fetch_interval_s AS "fetchIntervalS",
  v.status, v.failure_count AS "failureCount", v.failing_since AS "failingSince",
  v.latest_snapshot_id AS "latestSnapshotId", s.content_hash AS "latestHash"
  FROM vendors v LEFT JOIN snapshots s ON s.id = v.latest_snapshot_id`;

/** Samples are never due, because their sites do not exist. */
const isDue = (dueAt: Date) =>
  Prisma.sql`v.status IN ('active', 'unreachable') AND v.origin <> 'sample' AND v.next_fetch_at <= ${dueAt}`;

/** Returns the ids of vendors that are due, the longest overdue first. */
export async function findDueIds(client: Transaction, dueAt: Date, limit: number): Promise<string[]> {
  const rows = await client.$queryRaw<{ id: string }[]>`
    SELECT v.id FROM vendors v WHERE ${isDue(dueAt)} ORDER BY v.next_fetch_at, v.id LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}

/** Returns those of the vendors that are due. */
export async function findDueVendors(client: Database, ids: readonly string[], dueAt: Date): Promise<DueVendor[]> {
  return client.$queryRaw`SELECT ${dueVendorColumns} WHERE v.id = ANY(${[...ids]}::uuid[]) AND ${isDue(dueAt)}`;
}

/** Makes vendors due at other times. Those that were fetched meanwhile are left alone. */
export async function postponeFetches(
  client: Database,
  vendors: readonly { id: string; nextFetchAt: Date; until: Date }[],
): Promise<void> {
  const rows = JSON.stringify(vendors.map(({ id, nextFetchAt, until }) => ({ id, at: nextFetchAt, until })));
  await client.$executeRaw`
    UPDATE vendors SET next_fetch_at = rows.until
    FROM json_to_recordset(${rows}::json) AS rows (id uuid, at timestamptz(3), until timestamptz(3))
    WHERE vendors.id = rows.id AND vendors.next_fetch_at = rows.at`;
}

/** Returns vendors by their slugs, whether they are due or not. */
export async function findVendorsToFetch(client: Database, slugs: readonly string[]): Promise<DueVendor[]> {
  return client.$queryRaw`SELECT ${dueVendorColumns} WHERE v.slug = ANY(${[...slugs]})`;
}

/** Returns the number of vendors that are due. */
export async function countDue(client: Database, dueAt: Date): Promise<number> {
  const where = { status: { not: "paused" }, origin: { not: "sample" }, nextFetchAt: { lte: dueAt } } as const;
  return client.vendor.count({ where });
}

/** The stored record of a fetch. */
export type FetchRecord = {
  at: Date;
  outcome: "changed" | "unchanged" | "not_modified" | "failed";
  failure: string | null;
  detail: string | null;
  httpStatus: number | null;
  requestCount: number;
  responseTimeMs: number | null;
  byteSize: number | null;
};

type FetchResult = {
  vendor: DueVendor;
  runId: string;
  record: FetchRecord;
  next: NextFetchStatus;
  /** Validators of the response; undefined keeps the stored ones. */
  validators?: { etag: string | null; lastModified: string | null };
  /** The new version; null if the content is unchanged or there is none. */
  version: PreparedVersion | null;
};

/** Called within the transaction that stores a new version, as its last statement. */
export type AnnounceChange = (transaction: Transaction, vendorSlug: string, at: Date) => Promise<void>;

/** Thrown if another fetch of the vendor was stored since it was read; nothing was written. */
export class StaleVendorError extends Error {
  override readonly name = "StaleVendorError";

  constructor(slug: string) {
    super(`another fetch of ${slug} was stored first`);
  }
}

/** A stored version with its diff to the previous one; the diff is null for a vendor's first version. */
export type StoredVersion = { vendorId: string; snapshotId: string; diffId: string | null };

/**
 * Stores the result of a fetch in one transaction. Returns the stored version if there is a new one, otherwise null.
 * Throws StaleVendorError.
 */
export async function storeFetch(
  { database, ids, announceChange }: { database: Database; ids: Ids; announceChange: AnnounceChange },
  result: FetchResult,
): Promise<StoredVersion | null> {
  const { record, version, next } = result;
  const isSame = record.outcome !== "failed" && version === null && next.reason === null;
  if (isSame) {
    await writeUnchanged(database, ids, result);
    return null;
  }
  return database.$transaction(async (transaction) => {
    const latest = await writeContent(transaction, ids, result);
    await writeVendor(transaction, result, latest);
    await writeStatusChange(transaction, ids, result);
    await writeRecord(transaction, ids, result, latest?.latestSnapshotId ?? result.vendor.latestSnapshotId);
    if (!latest) return null;
    await announceChange(transaction, result.vendor.slug, record.at);
    return { vendorId: result.vendor.id, snapshotId: latest.latestSnapshotId, diffId: latest.latestDiffId };
  });
}

/** Records that the content is unchanged. One statement, since most fetches end here and a transaction takes six. */
async function writeUnchanged(
  client: Database,
  ids: Ids,
  { vendor, runId, record, next, validators }: FetchResult,
): Promise<void> {
  const { at, outcome, httpStatus, requestCount, responseTimeMs, byteSize } = record;
  const { etag = null, lastModified = null } = validators ?? {};
  const written = await client.$executeRaw`
    WITH vendor AS (
      UPDATE vendors SET failure_count = 0, failing_since = NULL, updated_at = ${at},
        next_fetch_at = ${next.nextFetchAt}, fetch_interval_s = ${next.fetchIntervalS}, last_fetched_at = ${at},
        etag = ${etag}, last_modified = ${lastModified}
      WHERE id = ${vendor.id}::uuid AND next_fetch_at = ${vendor.nextFetchAt}
      RETURNING id, latest_snapshot_id
    ), snapshot AS (
      UPDATE snapshots SET fetched_at = ${at} FROM vendor WHERE snapshots.id = vendor.latest_snapshot_id
    )
    INSERT INTO fetches
      (id, vendor_id, run_id, created_at, outcome, http_status, request_count, response_time_ms, byte_size, snapshot_id)
    SELECT ${ids.next()}::uuid, id, ${runId}::uuid, ${at}, ${outcome}::fetch_outcome, ${httpStatus}, ${requestCount},
      ${responseTimeMs}, ${byteSize}, latest_snapshot_id
    FROM vendor`;
  if (written === 0) throw new StaleVendorError(vendor.slug);
}

type Latest = { latestSnapshotId: string; latestDiffId: string | null };

/** Inserts a new version as a snapshot; for unchanged content, updates the time of the latest snapshot. */
async function writeContent(transaction: Transaction, ids: Ids, result: FetchResult): Promise<Latest | null> {
  const { vendor, version, record } = result;
  const { at, httpStatus, responseTimeMs } = record;
  if (version) {
    const origin = { vendorId: vendor.id, at, httpStatus: httpStatus ?? 0, responseTimeMs: responseTimeMs ?? 0 };
    const { snapshotId, diffId } = await insertVersion(transaction, version, origin, ids);
    return { latestSnapshotId: snapshotId, latestDiffId: diffId };
  }
  if (record.outcome !== "failed" && vendor.latestSnapshotId) {
    await transaction.snapshot.updateMany({ where: { id: vendor.latestSnapshotId }, data: { fetchedAt: at } });
  }
  return null;
}

async function writeVendor(transaction: Transaction, result: FetchResult, latest: Latest | null): Promise<void> {
  const { vendor, record, next, validators } = result;
  const { failureCount, failingSince, nextFetchAt, fetchIntervalS } = next;
  const { count } = await transaction.vendor.updateMany({
    where: { id: vendor.id, nextFetchAt: vendor.nextFetchAt },
    data: {
      ...{ failureCount, failingSince, nextFetchAt, fetchIntervalS, ...validators, ...latest },
      ...(record.outcome !== "failed" && { lastFetchedAt: record.at }),
    },
  });
  if (count === 0) throw new StaleVendorError(vendor.slug);
}

/** Changes the status unless it is no longer the one that was read, such as when an operator paused the vendor. */
async function writeStatusChange(
  transaction: Transaction,
  ids: Ids,
  { vendor, next, record }: FetchResult,
): Promise<void> {
  if (next.reason === null) return;
  const [from, to] = [vendor.status, next.status];
  const { count } = await transaction.vendor.updateMany({
    where: { id: vendor.id, status: from },
    data: { status: to },
  });
  if (count === 0) return;
  const change = { id: ids.next(), vendorId: vendor.id, from, to, reason: next.reason, createdAt: record.at };
  await transaction.vendorStatusChange.create({ data: change, select: { id: true } });
}

async function writeRecord(
  transaction: Transaction,
  ids: Ids,
  { vendor, runId, record }: FetchResult,
  latestSnapshotId: string | null,
): Promise<void> {
  const { at, ...columns } = record;
  const snapshotId = record.outcome === "failed" ? null : latestSnapshotId;
  const row = { id: ids.next(), vendorId: vendor.id, runId, createdAt: at, snapshotId, ...columns };
  await transaction.fetch.create({ data: row, select: { id: true } });
}

/** Deletes up to `limit` fetch records older than `before` and returns how many. */
export async function pruneFetches(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM fetches WHERE id IN (SELECT id FROM fetches WHERE created_at < ${before} LIMIT ${limit})`;
}
