import type { ModelChange } from "#lib/models/index";
import { BatchWriter } from "#lib/platform/batch-writer";
import {
  type Database,
  type DirectQuery,
  queryDirectly,
  type Statement,
  transactDirectly,
} from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { OperationChange } from "#lib/tracking/operations/index";
import type { PreparedVersion } from "#lib/tracking/snapshots/index";
import { Prisma } from "#prisma/generated/client";
import type { NextFetchStatus } from "./fetch-status";
import type { DueVendor } from "./store";

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
  /** Validators of the response; null after a failed fetch, which keeps the stored ones. */
  validators: { etag: string | null; lastModified: string | null } | null;
  /** The new version; null if the content is unchanged or there is none. */
  version: PreparedVersion | null;
  /** What the version changes of models, of a catalogue of models. */
  modelChanges?: readonly ModelChange[];
  /** What the version changes of operations, of an OpenAPI document. */
  operationChanges?: readonly OperationChange[];
  /** Whether the analysis of the version is started at once; this counts as its first attempt. */
  isAnalysed: boolean;
};

/** Called within the transaction that stores a new version, as its last statement. */
export type AnnounceChange = (query: DirectQuery, vendorSlug: string, at: Date) => Promise<void>;

/** Thrown if another fetch of the vendor was stored since it was read; nothing was written. */
export class StaleVendorError extends Error {
  override readonly name = "StaleVendorError";

  constructor(slug: string) {
    super(`another fetch of ${slug} was stored first`);
  }
}

/** A stored version with its diff to the previous one; the diff is null for a vendor's first version. */
export type StoredVersion = { vendorId: string; snapshotId: string; diffId: string | null };

/** Results stored together: few enough for a short statement, and at least what a process fetches at a time by default. */
const maxBatchSize = 64;

/** Stores the results without a new version, of which those of concurrent fetches share a statement. */
const writers = new WeakMap<Database, BatchWriter<ResultRow, boolean>>();

function writerOf(database: Database): BatchWriter<ResultRow, boolean> {
  const known = writers.get(database);
  if (known) return known;
  const writer = new BatchWriter<ResultRow, boolean>(async (rows) => {
    const stored = await queryDirectly(database, storeStatement(rows, unchangedParts));
    const ids = new Set(stored.map(({ id }) => id));
    return rows.map((row) => ids.has(row.fetch_id));
  }, maxBatchSize);
  writers.set(database, writer);
  return writer;
}

/**
 * Stores the result of a fetch in one statement, and announces a new version in the same transaction. Returns the stored
 * version if there is a new one, otherwise null. Throws StaleVendorError.
 */
export async function storeFetch(
  { database, ids, announceChange }: { database: Database; ids: Ids; announceChange: AnnounceChange },
  result: FetchResult,
): Promise<StoredVersion | null> {
  const { vendor, version } = result;
  if (!version) {
    const isStored = await writerOf(database).write(rowOf(ids, result, null));
    if (!isStored) throw new StaleVendorError(vendor.slug);
    return null;
  }
  const stored = { vendorId: vendor.id, snapshotId: ids.next(), diffId: version.diff && ids.next() };
  const parts = versionParts(version, stored, result, ids);
  await transactDirectly(database, async (query) => {
    const rows = await query(storeStatement([rowOf(ids, result, stored)], parts));
    if (rows.length === 0) throw new StaleVendorError(vendor.slug);
    await announceChange(query, vendor.slug, result.record.at);
  });
  return stored;
}

/** Columns of the part `result` of the statement. */
const resultColumns = Prisma.sql`fetch_id uuid, vendor_id uuid, was_due_at timestamptz(3), run_id uuid, "at" timestamptz(3),
  outcome fetch_outcome, failure text, detail text, http_status int, request_count int, response_time_ms int, byte_size int,
  etag text, last_modified text, old_status vendor_status, new_status vendor_status, status_change_id uuid, reason text,
  failure_count int, failing_since timestamptz(3), next_fetch_at timestamptz(3), fetch_interval_s int, snapshot_id uuid,
  diff_id uuid`;

type ResultRow = ReturnType<typeof rowOf>;

function rowOf(
  ids: Ids,
  { vendor, runId, record, next, validators }: FetchResult,
  stored: Pick<StoredVersion, "snapshotId" | "diffId"> | null,
) {
  return {
    fetch_id: ids.next(),
    vendor_id: vendor.id,
    was_due_at: vendor.nextFetchAt,
    run_id: runId,
    at: record.at,
    outcome: record.outcome,
    failure: record.failure,
    detail: record.detail,
    http_status: record.httpStatus,
    request_count: record.requestCount,
    response_time_ms: record.responseTimeMs,
    byte_size: record.byteSize,
    etag: validators?.etag,
    last_modified: validators?.lastModified,
    old_status: vendor.status,
    new_status: next.status,
    status_change_id: ids.next(),
    reason: next.reason,
    failure_count: next.failureCount,
    failing_since: next.failingSince,
    next_fetch_at: next.nextFetchAt,
    fetch_interval_s: next.fetchIntervalS,
    snapshot_id: stored?.snapshotId,
    diff_id: stored?.diffId,
  };
}

/**
 * Returns the parts of a WITH clause that store a version with its content and diff, if its part `vendor` has returned the
 * vendor. The statement also makes the version the vendor's latest.
 */
function versionParts(
  version: PreparedVersion,
  { snapshotId, diffId }: StoredVersion,
  { record, isAnalysed, vendor, modelChanges = [], operationChanges = [] }: FetchResult,
  ids: Ids,
): Prisma.Sql {
  const { contentHash, byteSize, compressedContent, previousSnapshotId, diff } = version;
  const { lineCount, linkCount, securityScore, securityFindings } = version;
  const { at, httpStatus, responseTimeMs } = record;
  // Updating an existing row of the content locks it, so that `prune` cannot delete it as unused.
  const parts = Prisma.sql`content AS (
      INSERT INTO contents (hash, compressed, byte_size)
      SELECT ${contentHash}, ${compressedContent}, ${byteSize} FROM vendor
      ON CONFLICT (hash) DO UPDATE SET byte_size = excluded.byte_size
    ), snapshot AS (
      INSERT INTO snapshots (id, vendor_id, content_hash, byte_size, line_count, link_count, created_at, fetched_at,
        http_status, response_time_ms, security_score, security_findings, analysis_attempts)
      SELECT ${snapshotId}::uuid, id, ${contentHash}, ${byteSize}, ${lineCount}, ${linkCount}, ${at}, ${at},
        ${httpStatus ?? 0}, ${responseTimeMs ?? 0}, ${securityScore}, ${JSON.stringify(securityFindings)}::jsonb,
        ${isAnalysed ? 1 : 0}
      FROM vendor
    )`;
  if (!diff) return parts;
  const withIds = (changes: readonly object[]) =>
    JSON.stringify(changes.map((change) => ({ change_id: ids.next(), ...change })));
  return Prisma.sql`${parts}, model_change AS (
      INSERT INTO model_changes (id, diff_id, provider, model, names, field, before, after, significance, source, created_at)
      SELECT change_id, ${diffId}::uuid, provider, model, names, field, before, after, significance, ${vendor.llmsTxtUrl},
        ${at}
      FROM vendor CROSS JOIN json_to_recordset(${withIds(modelChanges)}::json) AS change (change_id uuid, provider text, model text,
        names text[], field text, before jsonb, after jsonb, significance smallint)
    ), operation_change AS (
      INSERT INTO operation_changes (id, diff_id, method, path, urls, pattern, kind, breaking, doc_only, differences,
        difference_count, significance, created_at)
      SELECT change_id, ${diffId}::uuid, method, path, urls, pattern, kind, breaking, "docOnly", differences,
        "differenceCount", significance, ${at}
      FROM vendor CROSS JOIN json_to_recordset(${withIds(operationChanges)}::json) AS change (change_id uuid, method text,
        path text, urls text[], pattern text, kind text, breaking boolean, "docOnly" boolean, differences jsonb,
        "differenceCount" int, significance smallint)
    ), diff AS (
      INSERT INTO diffs (id, vendor_id, previous_snapshot_id, current_snapshot_id, lines_added, lines_removed,
        lines_moved, links_added, links_removed, exact, compressed_text, created_at)
      SELECT ${diffId}::uuid, id, ${previousSnapshotId}::uuid, ${snapshotId}::uuid, ${diff.linesAdded},
        ${diff.linesRemoved}, ${diff.linesMoved}, ${diff.linksAdded}::text[], ${diff.linksRemoved}::text[],
        ${diff.exact}, ${diff.compressedText}, ${at}
      FROM vendor
    )`;
}

/** Sets `fetched_at` of the latest snapshots, which were still current when their vendors were fetched. */
const unchangedParts = Prisma.sql`snapshot AS (
    UPDATE snapshots SET fetched_at = vendor."at" FROM vendor
    WHERE vendor.outcome <> 'failed' AND snapshots.id = vendor.latest_snapshot_id
  )`;

/**
 * Returns the statement that stores results, each if no other fetch was stored since its vendor was read. It returns the ids
 * of the stored ones. `parts` are further parts of its WITH clause.
 */
function storeStatement(rows: readonly ResultRow[], parts: Prisma.Sql): Statement {
  // The limit tells the planner how many rows there are: without it, it assumes 100 and would read all vendors.
  // A status that equals `new_status` was set by this fetch, and not by an operator in the meantime: an operator who sets
  // the same status also changes `next_fetch_at`, and then nothing of this fetch is stored.
  const { text, values } = Prisma.sql`
    WITH result AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS result (${resultColumns}) LIMIT ${rows.length}
    ), vendor AS (
      UPDATE vendors v SET updated_at = "at", failure_count = result.failure_count, failing_since = result.failing_since,
        next_fetch_at = result.next_fetch_at, fetch_interval_s = result.fetch_interval_s,
        status = CASE WHEN v.status = old_status THEN new_status ELSE v.status END,
        last_fetched_at = CASE WHEN outcome = 'failed' THEN v.last_fetched_at ELSE "at" END,
        etag = CASE WHEN outcome = 'failed' THEN v.etag ELSE result.etag END,
        last_modified = CASE WHEN outcome = 'failed' THEN v.last_modified ELSE result.last_modified END,
        latest_snapshot_id = coalesce(snapshot_id, v.latest_snapshot_id),
        latest_diff_id = CASE WHEN snapshot_id IS NULL THEN v.latest_diff_id ELSE diff_id END
      FROM result WHERE v.id = vendor_id AND v.next_fetch_at = was_due_at
      RETURNING v.id, v.status, v.latest_snapshot_id, fetch_id, run_id, "at", outcome, failure, detail, http_status,
        request_count, response_time_ms, byte_size, old_status, new_status, status_change_id, reason
    ), status_change AS (
      INSERT INTO vendor_status_changes (id, vendor_id, "from", "to", reason, created_at)
      SELECT status_change_id, id, old_status, status, reason, "at" FROM vendor
      WHERE reason IS NOT NULL AND status = new_status
    ), ${parts}
    INSERT INTO fetches (id, vendor_id, run_id, created_at, outcome, failure, detail, http_status, request_count,
      response_time_ms, byte_size, snapshot_id)
    SELECT fetch_id, id, run_id, "at", outcome, failure, detail, http_status, request_count, response_time_ms, byte_size,
      CASE WHEN outcome = 'failed' THEN NULL ELSE latest_snapshot_id END
    FROM vendor RETURNING id`;
  return { text, values };
}
