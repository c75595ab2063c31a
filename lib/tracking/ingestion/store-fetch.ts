import type { ModelChange } from "#lib/models/index";
import { batchCalls } from "#lib/platform/batch-calls";
import { type Database, queryDirectly, type Statement } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { toJson } from "#lib/platform/well-formed-json";
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

/** Thrown if another fetch of the vendor was stored since it was read; nothing was written. */
export class StaleVendorError extends Error {
  override readonly name = "StaleVendorError";

  constructor(slug: string) {
    super(`another fetch of ${slug} was stored first`);
  }
}

/** A stored version with its diff to the previous one; the diff is null for a vendor's first version. */
export type StoredVersion = { vendorId: string; snapshotId: string; diffId: string | null };

/** Stores results, those of concurrent calls in one statement. Returns for each whether it was stored. */
const storeRow = batchCalls<Database, ResultRow, boolean>(
  async (database, rows) => {
    const stored = new Set((await queryDirectly(database, storeStatement(rows))).map(({ id }) => id));
    return rows.map((row) => stored.has(row.fetch_id));
  },
  // Few enough for a short statement, and at least what a process fetches at a time by default.
  {
    maxCount: 64,
    gather: { waitMs: 10, enoughCount: 16 },
    maxSize: 4 * 1024 * 1024,
    sizeOf: ({ version }) => (version?.compressed_content.length ?? 0) + (version?.compressed_diff?.length ?? 0),
  },
);

/**
 * Stores the result of a fetch in one statement, with a new version and the mark that it has to be announced. Returns the
 * stored version if there is a new one, otherwise null. Throws StaleVendorError.
 */
export async function storeFetch(
  { database, ids }: { database: Database; ids: Ids },
  result: FetchResult,
): Promise<StoredVersion | null> {
  const { vendor, version } = result;
  const stored = version && { vendorId: vendor.id, snapshotId: ids.next(), diffId: version.diff && ids.next() };
  if (await storeRow(database, rowOf(ids, result, stored))) return stored;
  throw new StaleVendorError(vendor.slug);
}

/** Columns of the part `result` of the statement. */
const resultColumns = Prisma.sql`fetch_id uuid, vendor_id uuid, was_due_at timestamptz(3), run_id uuid, "at" timestamptz(3),
  outcome fetch_outcome, failure text, detail text, http_status int, request_count int, response_time_ms int, byte_size int,
  etag text, last_modified text, old_status vendor_status, new_status vendor_status, status_change_id uuid, reason text,
  failure_count int, failing_since timestamptz(3), next_fetch_at timestamptz(3), fetch_interval_s int, snapshot_id uuid,
  diff_id uuid, version json`;

/** Columns of the part `version`. The content and the diff are in base64. */
const versionColumns = Prisma.sql`content_hash text, content_byte_size int, compressed_content text, line_count int,
  link_count int, security_score int, security_findings jsonb, analysis_attempts int, previous_snapshot_id uuid,
  lines_added int, lines_removed int, lines_moved int, links_added text[], links_removed text[], exact boolean,
  compressed_diff text, source text, model_changes json, operation_changes json`;

type ResultRow = ReturnType<typeof rowOf>;

function rowOf(ids: Ids, result: FetchResult, stored: StoredVersion | null) {
  const { vendor, runId, record, next, validators } = result;
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
    status_change_id: next.reason === null ? null : ids.next(),
    reason: next.reason,
    failure_count: next.failureCount,
    failing_since: next.failingSince,
    next_fetch_at: next.nextFetchAt,
    fetch_interval_s: next.fetchIntervalS,
    snapshot_id: stored?.snapshotId,
    diff_id: stored?.diffId,
    version: result.version && versionOf(ids, result.version, result),
  };
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

function versionOf(
  ids: Ids,
  { diff, ...version }: PreparedVersion,
  { vendor, isAnalysed, modelChanges = [], operationChanges = [] }: FetchResult,
) {
  const withIds = (changes: readonly object[]) => changes.map((change) => ({ change_id: ids.next(), ...change }));
  return {
    content_hash: version.contentHash,
    content_byte_size: version.byteSize,
    compressed_content: base64(version.compressedContent),
    line_count: version.lineCount,
    link_count: version.linkCount,
    security_score: version.securityScore,
    security_findings: version.securityFindings,
    analysis_attempts: isAnalysed ? 1 : 0,
    previous_snapshot_id: version.previousSnapshotId,
    ...(diff && {
      lines_added: diff.linesAdded,
      lines_removed: diff.linesRemoved,
      lines_moved: diff.linesMoved,
      links_added: diff.linksAdded,
      links_removed: diff.linksRemoved,
      exact: diff.exact,
      compressed_diff: base64(diff.compressedText),
      source: vendor.llmsTxtUrl,
      model_changes: withIds(modelChanges),
      operation_changes: withIds(operationChanges),
    }),
  };
}

/**
 * Parts of the WITH clause that store the versions of the part `vendor` with their contents and diffs. The order of the hashes
 * keeps processes that store the same contents from waiting for each other in a circle.
 */
const versionParts = Prisma.sql`version AS MATERIALIZED (
    SELECT vendor.*, v.* FROM vendor CROSS JOIN LATERAL json_to_record(vendor.version_json) AS v (${versionColumns})
    WHERE vendor.snapshot_id IS NOT NULL
  ), content AS (
    -- Updating an existing row of the content locks it, so that "prune" cannot delete it as unused.
    INSERT INTO contents (hash, compressed, byte_size)
    SELECT DISTINCT ON (content_hash) content_hash, decode(compressed_content, 'base64'), content_byte_size
    FROM version ORDER BY content_hash
    ON CONFLICT (hash) DO UPDATE SET byte_size = excluded.byte_size
  ), snapshot AS (
    INSERT INTO snapshots (id, vendor_id, content_hash, byte_size, line_count, link_count, created_at, fetched_at,
      http_status, response_time_ms, security_score, security_findings, analysis_attempts)
    SELECT snapshot_id, id, content_hash, content_byte_size, line_count, link_count, "at", "at",
      coalesce(http_status, 0), coalesce(response_time_ms, 0), security_score, security_findings, analysis_attempts
    FROM version
  ), diff AS (
    INSERT INTO diffs (id, vendor_id, previous_snapshot_id, current_snapshot_id, lines_added, lines_removed,
      lines_moved, links_added, links_removed, exact, compressed_text, created_at)
    SELECT diff_id, id, previous_snapshot_id, snapshot_id, lines_added, lines_removed, lines_moved, links_added,
      links_removed, exact, decode(compressed_diff, 'base64'), "at"
    FROM version WHERE diff_id IS NOT NULL
  ), model_change AS (
    INSERT INTO model_changes (id, diff_id, provider, model, names, field, before, after, significance, source, created_at)
    SELECT change_id, diff_id, provider, model, names, field, before, after, significance, source, "at"
    FROM version CROSS JOIN LATERAL json_to_recordset(model_changes) AS change (change_id uuid, provider text, model text,
      names text[], field text, before jsonb, after jsonb, significance smallint)
  ), operation_change AS (
    INSERT INTO operation_changes (id, diff_id, method, path, urls, pattern, kind, breaking, doc_only, differences,
      difference_count, significance, created_at)
    SELECT change_id, diff_id, method, path, urls, pattern, kind, breaking, "docOnly", differences, "differenceCount",
      significance, "at"
    FROM version CROSS JOIN LATERAL json_to_recordset(operation_changes) AS change (change_id uuid, method text, path text,
      urls text[], pattern text, kind text, breaking boolean, "docOnly" boolean, differences jsonb, "differenceCount" int,
      significance smallint)
  ), unannounced AS (
    INSERT INTO unannounced_changes (fetch_id, slug, created_at) SELECT fetch_id, slug, "at" FROM version
  )`;

/**
 * Returns the statement that stores results, each if no other fetch was stored since its vendor was read. It returns the ids
 * of the stored ones.
 */
function storeStatement(rows: readonly ResultRow[]): Statement {
  // The limit tells the planner how many rows there are: without it, it assumes 100 and would read all vendors.
  // A status that equals `new_status` was set by this fetch, and not by an operator in the meantime: an operator who sets
  // the same status also changes `next_fetch_at`, and then nothing of this fetch is stored.
  const hasVersion = rows.some(({ version }) => version !== null);
  const { text, values } = Prisma.sql`
    WITH result AS (
      SELECT * FROM json_to_recordset(${toJson(rows)}::json) AS result (${resultColumns}) LIMIT ${rows.length}
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
      RETURNING v.id, v.slug, v.status, v.latest_snapshot_id, fetch_id, run_id, "at", outcome, failure, detail, http_status,
        request_count, response_time_ms, byte_size, old_status, new_status, status_change_id, reason, snapshot_id,
        result.diff_id, version AS version_json
    ), status_change AS (
      INSERT INTO vendor_status_changes (id, vendor_id, "from", "to", reason, created_at)
      SELECT status_change_id, id, old_status, status, reason, "at" FROM vendor
      WHERE reason IS NOT NULL AND status = new_status
    ), seen AS (
      -- The latest snapshots, which were still current when their vendors were fetched; new ones are not seen here.
      UPDATE snapshots SET fetched_at = vendor."at" FROM vendor
      WHERE vendor.outcome <> 'failed' AND snapshots.id = vendor.latest_snapshot_id
    )${hasVersion ? Prisma.sql`, ${versionParts}` : Prisma.empty}
    INSERT INTO fetches (id, vendor_id, run_id, created_at, outcome, failure, detail, http_status, request_count,
      response_time_ms, byte_size, snapshot_id)
    SELECT fetch_id, id, run_id, "at", outcome, failure, detail, http_status, request_count, response_time_ms, byte_size,
      CASE WHEN outcome = 'failed' THEN NULL ELSE latest_snapshot_id END
    FROM vendor RETURNING id`;
  return { text, values };
}
