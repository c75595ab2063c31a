import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import {
  type FailedFetch,
  type FetchContext,
  type FileFetch,
  fetchFile,
  hashText,
  prepareVersion,
  readSnapshotText,
} from "#lib/tracking/snapshots/index";
import { standingAfterFailure, standingAfterSuccess } from "./standing";
import {
  type ClaimedVendor,
  ClaimLostError,
  type FetchRecord,
  releaseClaims,
  type StoredVersion,
  writeFetch,
} from "./store";

export type VendorFetchContext = {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  runId: string;
  /** Shared by the fetches of the run. */
  files: FetchContext;
  /** Usual time from one fetch of a vendor to the next. */
  intervalMs: number;
  /** Called when a new version is stored, before the next vendor is fetched. What it throws is logged. */
  afterChange?: (version: StoredVersion) => Promise<void>;
};

/** How a fetch ended: as it is recorded; `released`, where the run ended first; `lost`, where another run took over. */
export type VendorOutcome = FetchRecord["outcome"] | "released" | "lost";

type Got = Exclude<FileFetch, { kind: "failed" }>;

async function keepSuccess(context: VendorFetchContext, vendor: ClaimedVendor, got: Got): Promise<VendorOutcome> {
  const { database, clock, ids, runId, intervalMs } = context;
  const { random } = context.files;
  const isNew = got.kind === "content" && hashText(got.text) !== vendor.latestHash;
  const version = isNew ? await prepareNext(context, vendor, got.text) : null;
  const at = clock.now();
  const outcome = got.kind === "not_modified" ? got.kind : isNew ? "changed" : "unchanged";
  const { httpStatus, requestCount, responseTimeMs, etag, lastModified } = got;
  const byteSize = got.kind === "content" ? got.byteSize : null;
  const measures = { httpStatus, requestCount, responseTimeMs, byteSize };
  const stored = await writeFetch(database, ids, {
    ...{ vendor, runId, version, validators: { etag, lastModified } },
    record: { at, outcome, failure: null, detail: null, ...measures },
    next: standingAfterSuccess(vendor, intervalMs, { now: at, random }),
  });
  if (stored) await tellOfChange(context, stored);
  return outcome;
}

async function tellOfChange({ afterChange, log }: VendorFetchContext, version: StoredVersion): Promise<void> {
  try {
    await afterChange?.(version);
  } catch (error) {
    log.error({ err: error, ...version }, "what follows a change failed");
  }
}

async function prepareNext({ database }: VendorFetchContext, vendor: ClaimedVendor, text: string) {
  const { domain, latestSnapshotId: snapshotId } = vendor;
  const previous = snapshotId === null ? null : { snapshotId, text: await readSnapshotText(database, snapshotId) };
  return prepareVersion({ text, domain, previous });
}

type Failure = Omit<FailedFetch, "kind" | "failure"> & { failure: string };

async function keepFailure(
  context: VendorFetchContext,
  vendor: ClaimedVendor,
  failed: Failure,
): Promise<VendorOutcome> {
  const { database, clock, ids, runId } = context;
  const { random } = context.files;
  const { retryAfterMs, ...columns } = failed;
  const at = clock.now();
  await writeFetch(database, ids, {
    ...{ vendor, runId, version: null },
    record: { at, outcome: "failed", byteSize: null, ...columns },
    next: standingAfterFailure(vendor, failed, { now: at, random }),
  });
  return "failed";
}

/** The run itself ended: that says nothing about the vendor. */
const isOurs = ({ failure }: FailedFetch) => failure === "deadline" || failure === "aborted";

async function keep(context: VendorFetchContext, vendor: ClaimedVendor, fetched: FileFetch): Promise<VendorOutcome> {
  if (fetched.kind !== "failed") return keepSuccess(context, vendor, fetched);
  const { kind: _kind, ...failed } = fetched;
  if (!isOurs(fetched)) return keepFailure(context, vendor, failed);
  await releaseClaims(context.database, context.runId, [vendor.id]);
  return "released";
}

/** A fault of this program over one vendor's file must not keep the others from being fetched. */
async function keepFault(context: VendorFetchContext, vendor: ClaimedVendor, error: unknown): Promise<VendorOutcome> {
  context.log.error({ err: error, vendor: vendor.slug }, "a vendor's file could not be taken in");
  const detail = "a fault of this service; its log has more";
  const measures = { httpStatus: null, responseTimeMs: null, requestCount: 0 };
  return keepFailure(context, vendor, { failure: "internal_error", detail, retryAfterMs: null, ...measures });
}

/**
 * Fetches the file of one vendor that the run has claimed, and keeps what came of it in one transaction. Throws where
 * the database fails.
 */
export async function fetchVendor(context: VendorFetchContext, vendor: ClaimedVendor): Promise<VendorOutcome> {
  const { llmsTxtUrl: url, etag, lastModified } = vendor;
  const isKnown = vendor.latestSnapshotId !== null;
  const request = { url, etag: isKnown ? etag : null, lastModified: isKnown ? lastModified : null };
  try {
    try {
      return await keep(context, vendor, await fetchFile(request, context.files));
    } catch (error) {
      if (error instanceof ClaimLostError) throw error;
      return await keepFault(context, vendor, error);
    }
  } catch (error) {
    if (!(error instanceof ClaimLostError)) throw error;
    context.log.warn({ vendor: vendor.slug, runId: context.runId }, "another run took the vendor over");
    return "lost";
  }
}
