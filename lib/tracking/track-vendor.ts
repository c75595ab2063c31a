import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { WorkerError, type WorkerLimits } from "#lib/platform/run-worker";
import {
  type AnnounceChange,
  type DueVendor,
  type FetchRecord,
  StaleVendorError,
  type StoredVersion,
  statusAfterFailure,
  statusAfterSuccess,
  storeFetch,
} from "#lib/tracking/ingestion/index";
import { type AnalysisContext, analyseStored, type Change } from "#lib/tracking/intelligence/index";
import {
  type FailedFetch,
  type FetchContext,
  type FileFetch,
  fetchFile,
  hashText,
  isRunFailure,
  prepareVersion,
  readSnapshotText,
} from "#lib/tracking/snapshots/index";

export type TrackContext = {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  runId: string;
  /** Shared by the fetches of the run. */
  files: FetchContext;
  /** Regular time from one fetch of a vendor to the next, before it is adapted to how often the file changes. */
  intervalMs: number;
  announceChange: AnnounceChange;
  /** Bounds of the work on a large text; by default those of `run-worker`. */
  workerLimits?: WorkerLimits;
  /** Writes the report of each change at once; without it a later run of the analysis does. */
  analysis?: AnalysisContext;
};

/** The recorded outcome of a fetch; `released` if the run ended first, `stale` if another fetch was stored meanwhile. */
export type TrackOutcome = FetchRecord["outcome"] | "released" | "stale";

/**
 * Everything that happens to one vendor that is due:
 *
 * 1. fetch its file, conditionally and as robots.txt allows;
 * 2. compare a new version with the previous one, and score its security;
 * 3. store the fetch, the version, the diff and the vendor's next status, and announce a change, in one transaction;
 * 4. write the report of the change, which also enqueues webhooks if it is significant.
 *
 * Throws if the database fails.
 */
export async function trackVendor(context: TrackContext, vendor: DueVendor): Promise<TrackOutcome> {
  const { llmsTxtUrl: url, latestSnapshotId } = vendor;
  const { etag, lastModified } = latestSnapshotId === null ? { etag: null, lastModified: null } : vendor;
  try {
    try {
      const fetched = await fetchFile({ url, etag, lastModified }, context.files);
      if (fetched.kind === "failed") return await recordFailure(context, vendor, fetched);
      return await storeSuccess(context, vendor, fetched);
    } catch (error) {
      // What the database could not do says nothing about the vendor.
      if (error instanceof StaleVendorError || error instanceof AppError) throw error;
      return await recordInternalError(context, vendor, error);
    }
  } catch (error) {
    if (!(error instanceof StaleVendorError)) throw error;
    context.log.info({ vendor: vendor.slug, runId: context.runId }, "another fetch of the vendor was stored first");
    return "stale";
  }
}

type Success = Exclude<FileFetch, FailedFetch>;

async function storeSuccess(context: TrackContext, vendor: DueVendor, fetched: Success): Promise<TrackOutcome> {
  const { clock, runId, intervalMs, files, analysis } = context;
  const isNew = fetched.kind === "content" && hashText(fetched.text) !== vendor.latestHash;
  const next = isNew ? await prepareNextVersion(context, vendor, fetched.text) : null;
  const at = clock.now();
  const outcome = fetched.kind === "not_modified" ? fetched.kind : isNew ? "changed" : "unchanged";
  const { httpStatus, requestCount, responseTimeMs, etag, lastModified } = fetched;
  const byteSize = fetched.kind === "content" ? fetched.byteSize : null;
  const measurements = { httpStatus, requestCount, responseTimeMs, byteSize };
  const timing = { now: at, random: files.random };
  const stored = await storeFetch(context, {
    ...{ vendor, runId, version: next?.version ?? null, isAnalysed: analysis !== undefined },
    ...{ validators: { etag, lastModified } },
    record: { at, outcome, failure: null, detail: null, ...measurements },
    next: statusAfterSuccess(vendor, { intervalMs, isChanged: isNew }, timing),
  });
  if (stored && next) await reportChange(context, stored, next.change);
  return outcome;
}

/** Returns the new version with its security score, and the change from the previous version. */
async function prepareNextVersion({ database, workerLimits }: TrackContext, vendor: DueVendor, text: string) {
  const { domain, name, latestSnapshotId: snapshotId, latestSecurityScore } = vendor;
  const previous = snapshotId === null ? null : { snapshotId, text: await readSnapshotText(database, snapshotId) };
  const version = await prepareVersion({ text, domain, previous }, workerLimits);
  const { securityScore, diff: comparison } = version;
  const texts = { before: previous?.text ?? null, after: text, comparison };
  const change: Change = { ...texts, domain, name, securityScore, previousSecurityScore: latestSecurityScore ?? 0 };
  return { version, change };
}

/** Writes the report of a change. A failure is logged: the analysis job writes the missing report later. */
async function reportChange({ analysis, log }: TrackContext, version: StoredVersion, change: Change): Promise<void> {
  if (!analysis) return;
  try {
    await analyseStored(analysis, version, change);
  } catch (error) {
    log.error({ err: error, ...version }, "could not analyse a change");
  }
}

type Failure = Omit<FailedFetch, "kind" | "failure"> & { failure: string };

/** The context of a record that needs no request. */
type RecordContext = Omit<TrackContext, "files"> & { random: () => number };

async function storeFailure(context: RecordContext, vendor: DueVendor, failure: Failure): Promise<TrackOutcome> {
  const { clock, runId, random } = context;
  const { retryAfterMs: _retryAfterMs, ...columns } = failure;
  const at = clock.now();
  await storeFetch(context, {
    ...{ vendor, runId, version: null, isAnalysed: false, validators: null },
    record: { at, outcome: "failed", byteSize: null, ...columns },
    next: statusAfterFailure(vendor, failure, { now: at, random }),
  });
  return "failed";
}

async function recordFailure(context: TrackContext, vendor: DueVendor, failed: FailedFetch): Promise<TrackOutcome> {
  const { kind: _kind, ...failure } = failed;
  return isRunFailure(failed.failure)
    ? "released"
    : storeFailure({ ...context, random: context.files.random }, vendor, failure);
}

/** Records a bug triggered by one vendor's file, or a file beyond the limits, as a failed fetch, so that others go on. */
async function recordInternalError(context: TrackContext, vendor: DueVendor, error: unknown) {
  context.log.error({ err: error, vendor: vendor.slug }, "could not process a vendor's file");
  const reason =
    error instanceof WorkerError
      ? { failure: "too_complex", detail: `scoring and comparing the file ${error.message}` }
      : { failure: "internal_error", detail: "internal error; see the server's log" };
  return storeFailure({ ...context, random: context.files.random }, vendor, { ...reason, ...nothingMeasured });
}

const nothingMeasured = { retryAfterMs: null, httpStatus: null, responseTimeMs: null, requestCount: 0 };

/** Records a failed fetch of a vendor whose file ended the process each time that it was worked on. */
export async function recordAbandonedFetch(context: RecordContext, vendor: DueVendor): Promise<void> {
  context.log.error({ vendor: vendor.slug }, "a vendor's file ended the process repeatedly");
  const detail = "the process ended each time that it worked on the file; see the server's log";
  await storeFailure(context, vendor, { failure: "internal_error", detail, ...nothingMeasured });
}
