import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { insertVersion, type PreparedVersion } from "#lib/tracking/snapshots/index";
import { Prisma } from "#prisma/generated/client";
import type { FetchStatus, NextFetchStatus } from "./fetch-status";

/** A vendor claimed by a run. */
export type ClaimedVendor = FetchStatus & {
  id: string;
  slug: string;
  domain: string;
  llmsTxtUrl: string;
  etag: string | null;
  lastModified: string | null;
  latestSnapshotId: string | null;
  /** SHA-256 of the latest snapshot's content. */
  latestHash: string | null;
};

/** Vendors that a run fetches: those that are due, or the given ones. */
export type ClaimScope = { dueAt: Date } | { slugs: readonly string[] };

type ClaimOptions = { runId: string; scope: ClaimScope; claimedCount: number };

/** Samples are never due, because their sites do not exist. */
function isInScope(scope: ClaimScope): Prisma.Sql {
  return "slugs" in scope
    ? Prisma.sql`slug = ANY(${[...scope.slugs]})`
    : Prisma.sql`status IN ('active', 'unreachable') AND origin <> 'sample' AND next_fetch_at <= ${scope.dueAt}`;
}

/** Claims vendors for a run, the longest overdue first, and returns them. Claims of other runs are taken over. */
export async function claimVendors(
  client: Database,
  { runId, scope, claimedCount }: ClaimOptions,
): Promise<ClaimedVendor[]> {
  const rows = await client.$queryRaw<{ id: string }[]>`
    UPDATE vendors SET claimed_run_id = ${runId}::uuid
    WHERE id IN (
      SELECT id FROM vendors
      WHERE ${isInScope(scope)} AND claimed_run_id IS DISTINCT FROM ${runId}::uuid
      ORDER BY next_fetch_at, id LIMIT ${claimedCount} FOR UPDATE SKIP LOCKED
    )
    RETURNING id`;
  const claimed = await client.vendor.findMany({
    where: { id: { in: rows.map(({ id }) => id) }, claimedRunId: runId },
    select: {
      ...{ id: true, slug: true, domain: true, llmsTxtUrl: true, etag: true, lastModified: true },
      ...{ status: true, failureCount: true, failingSince: true, latestSnapshotId: true },
      latestSnapshot: { select: { contentHash: true } },
    },
    orderBy: [{ nextFetchAt: "asc" }, { id: "asc" }],
  });
  return claimed.map(({ latestSnapshot, ...vendor }) => ({
    ...vendor,
    latestHash: latestSnapshot?.contentHash ?? null,
  }));
}

/** Releases the claims of a run on vendors that it did not fetch: on the given ones, by default on all. */
export async function releaseClaims(client: Database, runId: string, vendorIds?: readonly string[]): Promise<void> {
  const where = { claimedRunId: runId, ...(vendorIds && { id: { in: [...vendorIds] } }) };
  await client.vendor.updateMany({ where, data: { claimedRunId: null } });
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
  vendor: ClaimedVendor;
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

/** Thrown if another run has claimed the vendor; nothing was written. */
export class ClaimLostError extends Error {
  override readonly name = "ClaimLostError";
}

/** A stored version with its diff to the previous one; the diff is null for a vendor's first version. */
export type StoredVersion = { vendorId: string; snapshotId: string; diffId: string | null };

/**
 * Stores the result of a fetch in one transaction. Returns the stored version if there is a new one, otherwise null.
 * Throws ClaimLostError.
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
      UPDATE vendors SET claimed_run_id = NULL, failure_count = 0, failing_since = NULL, updated_at = ${at},
        next_fetch_at = ${next.nextFetchAt}, last_fetched_at = ${at}, etag = ${etag}, last_modified = ${lastModified}
      WHERE id = ${vendor.id}::uuid AND claimed_run_id = ${runId}::uuid
      RETURNING id, latest_snapshot_id
    ), snapshot AS (
      UPDATE snapshots SET fetched_at = ${at} FROM vendor WHERE snapshots.id = vendor.latest_snapshot_id
    )
    INSERT INTO fetches
      (id, vendor_id, run_id, created_at, outcome, http_status, request_count, response_time_ms, byte_size, snapshot_id)
    SELECT ${ids.next()}::uuid, id, ${runId}::uuid, ${at}, ${outcome}::fetch_outcome, ${httpStatus}, ${requestCount},
      ${responseTimeMs}, ${byteSize}, latest_snapshot_id
    FROM vendor`;
  if (written === 0) throw new ClaimLostError(`${vendor.slug} was taken over by another run`);
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
  const { vendor, runId, record, next, validators } = result;
  const { failureCount, failingSince, nextFetchAt } = next;
  const { count } = await transaction.vendor.updateMany({
    where: { id: vendor.id, claimedRunId: runId },
    data: {
      ...{ claimedRunId: null, failureCount, failingSince, nextFetchAt, ...validators, ...latest },
      ...(record.outcome !== "failed" && { lastFetchedAt: record.at }),
    },
  });
  if (count === 0) throw new ClaimLostError(`${vendor.slug} was taken over by another run`);
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
