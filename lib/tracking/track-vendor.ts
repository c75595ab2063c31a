import type { Context } from "#lib/platform/context";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { lowestId } from "#lib/platform/ids";
import { WorkerError, type WorkerLimits } from "#lib/platform/run-worker";
import {
  confirmLoss,
  type FailedFetch,
  type FetchContext,
  type FileFetch,
  fetchFile,
  isRunFailure,
  readDocument,
  readModels,
} from "#lib/tracking/fetching/index";
import {
  type DueVendor,
  type FetchIntervals,
  type FetchRecord,
  findFollowers,
  type NextFetchStatus,
  StaleVendorError,
  type StoredVersion,
  statusAfterFailure,
  statusAfterSuccess,
  storeFetch,
} from "#lib/tracking/ingestion/index";
import { type AnalysisContext, analyseStored, type Change } from "#lib/tracking/intelligence/index";
import { OpenApiError } from "#lib/tracking/operations/index";
import { hashText } from "#lib/tracking/snapshots/index";
import { type PreparedChanges, prepareChange } from "./prepare-change";

export type TrackContext = Context &
  FetchIntervals & {
    runId: string;
    /** Shared by the fetches of the run. */
    files: FetchContext;
    /** Called when a vendor's file has been fetched and read, before it is compared and stored. */
    onFetched?: (fetched: FileFetch) => void;
    /** Notifies subscribers of the versions that were stored. */
    announceChanges: (database: Database) => Promise<void>;
    /** Bounds of the work on a large text; by default those of `run-worker`. */
    workerLimits?: WorkerLimits;
    /** Writes the report of each change at once; without it a later run of the analysis does. */
    analysis?: AnalysisContext;
  };

/** The recorded outcome of a fetch; `released` if the run ended first, `stale` if another fetch was stored meanwhile. */
export type TrackOutcome = FetchRecord["outcome"] | "released" | "stale";

/** What the vendors of one fetch share. */
type SharedFetch = {
  /** When all of them are due next. */
  schedule: Pick<NextFetchStatus, "nextFetchAt" | "fetchIntervalS">;
  prepared: PreparedChanges;
};

/**
 * Everything that happens to one vendor that is due:
 *
 * 1. fetch its file, conditionally and as robots.txt allows; read an OpenAPI document or the models of a catalogue;
 * 2. compare a new version with the previous one, and score its security;
 * 3. store the fetch, the version, the diff and the vendor's next status in one statement;
 * 4. announce the version, and write the report of the change, which also enqueues webhooks if it is significant.
 *
 * Accounts' vendors with the same URL follow it: 2 to 4 happen to them first, so that they are not left out if the process
 * ends meanwhile. Throws if the database fails.
 */
export async function trackVendor(context: TrackContext, vendor: DueVendor): Promise<TrackOutcome> {
  const { llmsTxtUrl: url, latestSnapshotId, followersAreCurrent } = vendor;
  const isConditional = latestSnapshotId !== null && followersAreCurrent !== false;
  const { etag, lastModified } = isConditional ? vendor : { etag: null, lastModified: null };
  return recordErrors(context, vendor, async () => {
    const file = await fetchVendor(context, vendor, { url, etag, lastModified });
    const fetched = file.kind === "content" ? { ...file, contentHash: hashText(file.text) } : file;
    context.onFetched?.(fetched);
    if (fetched.kind === "failed" && isRunFailure(fetched.failure)) return "released";
    const { nextFetchAt, fetchIntervalS } = nextStatus(context, vendor, fetched);
    const shared = { schedule: { nextFetchAt, fetchIntervalS }, prepared: new Map() };
    if (followersAreCurrent !== null) await storeForFollowers(context, vendor, fetched, shared);
    return storeFetched(context, vendor, fetched, shared);
  });
}

async function fetchVendor(
  { files, log, workerLimits }: TrackContext,
  vendor: DueVendor,
  request: Parameters<typeof fetchFile>[0],
): Promise<FileFetch> {
  const { slug, reader, latestLineCount } = vendor;
  if (reader === "llms_txt") return confirmLoss(await fetchFile(request, files), vendor);
  const file = await fetchFile({ ...request, isData: true }, files);
  if (reader === "openapi") return readDocument(file, workerLimits);
  const fetched = readModels(reader, file, latestLineCount);
  if (fetched.kind === "failed") log.warn({ vendor: slug, reason: fetched.detail }, "could not refresh the models");
  return fetched;
}

/** Records an unexpected error as a failed fetch. Throws AppError if the database fails. */
async function recordErrors(
  context: TrackContext,
  vendor: DueVendor,
  work: () => Promise<TrackOutcome>,
): Promise<TrackOutcome> {
  try {
    try {
      return await work();
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

async function storeForFollowers(context: TrackContext, vendor: DueVendor, fetched: Fetched, shared: SharedFetch) {
  const store = async (follower: DueVendor) => {
    // A vendor added during a conditional fetch gets the content from the next one, for which it has made this due.
    const isLeftOut = fetched.kind === "not_modified" && follower.latestHash !== vendor.latestHash;
    if (!isLeftOut) await recordErrors(context, follower, () => storeFetched(context, follower, fetched, shared));
  };
  for (let afterId = lowestId; ; ) {
    const followers = await findFollowers(context.database, vendor, afterId);
    await Promise.all(followers.map(store));
    const last = followers.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}

function storeFetched(
  context: TrackContext,
  vendor: DueVendor,
  fetched: Fetched,
  shared: SharedFetch,
): Promise<TrackOutcome> {
  if (fetched.kind !== "failed") return storeSuccess(context, vendor, fetched, shared);
  return storeFailure({ ...context, random: context.files.random }, vendor, fetched, shared.schedule);
}

type Content = Extract<FileFetch, { kind: "content" }> & { contentHash: string };
type Success = Exclude<FileFetch, FailedFetch | { kind: "content" }> | Content;
type Fetched = Success | FailedFetch;

/** Whether a fetch returned another content than the vendor's latest. */
function isNewContent(vendor: DueVendor, fetched: Fetched): fetched is Content {
  return fetched.kind === "content" && fetched.contentHash !== vendor.latestHash;
}

function nextStatus(context: TrackContext, vendor: DueVendor, fetched: Fetched) {
  const { clock, intervalMs, maxIntervalMs, files } = context;
  const timing = { now: clock.now(), random: files.random };
  if (fetched.kind === "failed") return statusAfterFailure(vendor, fetched, { ...timing, maxIntervalMs });
  return statusAfterSuccess(vendor, { intervalMs, maxIntervalMs, isChanged: isNewContent(vendor, fetched) }, timing);
}

async function storeSuccess(
  context: TrackContext,
  vendor: DueVendor,
  fetched: Success,
  { schedule, prepared }: SharedFetch,
): Promise<TrackOutcome> {
  const { clock, runId, analysis } = context;
  const isNew = isNewContent(vendor, fetched);
  const next = isNew ? await prepareChange(context, vendor, fetched.text, prepared) : null;
  const at = clock.now();
  const outcome = fetched.kind === "not_modified" ? fetched.kind : isNew ? "changed" : "unchanged";
  const { httpStatus, requestCount, responseTimeMs, etag, lastModified } = fetched;
  const byteSize = fetched.kind === "content" ? fetched.byteSize : null;
  const measurements = { httpStatus, requestCount, responseTimeMs, byteSize };
  const stored = await storeFetch(context, {
    vendor,
    runId,
    version: next?.version ?? null,
    modelChanges: next?.modelChanges ?? [],
    operationChanges: next?.operationChanges ?? [],
    isAnalysed: analysis !== undefined,
    validators: { etag, lastModified },
    record: { at, outcome, failure: null, detail: null, ...measurements },
    next: { ...nextStatus(context, vendor, fetched), ...schedule },
  });
  if (stored && next) await Promise.all([announce(context), reportChange(context, stored, next.change)]);
  return outcome;
}

/** Announces new versions. If that fails, the failure is logged, and the next call announces them, also one of another process. */
async function announce({ database, announceChanges, log }: TrackContext): Promise<void> {
  await announceChanges(database).catch((error: unknown) => log.error({ err: error }, "could not announce a change"));
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

async function storeFailure(
  context: RecordContext,
  vendor: DueVendor,
  failure: Failure,
  schedule?: SharedFetch["schedule"],
): Promise<TrackOutcome> {
  const { clock, runId, random, maxIntervalMs } = context;
  const { retryAfterMs: _retryAfterMs, ...columns } = failure;
  const at = clock.now();
  await storeFetch(context, {
    vendor,
    runId,
    version: null,
    modelChanges: [],
    isAnalysed: false,
    validators: null,
    record: { at, outcome: "failed", byteSize: null, ...columns },
    next: { ...statusAfterFailure(vendor, failure, { now: at, random, maxIntervalMs }), ...schedule },
  });
  return "failed";
}

/** Records a bug triggered by one vendor's file, or a file beyond the limits, as a failed fetch, so that others go on. */
async function recordInternalError(context: TrackContext, vendor: DueVendor, error: unknown) {
  context.log.error({ err: error, vendor: vendor.slug }, "could not process a vendor's file");
  const reason =
    error instanceof WorkerError || error instanceof OpenApiError
      ? {
          failure: "too_complex",
          detail: error instanceof WorkerError ? `scoring and comparing the file ${error.message}` : error.message,
        }
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
