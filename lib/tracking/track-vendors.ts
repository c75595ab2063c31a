import type { guardedFetch } from "#lib/platform/outbound/index";
import { runConcurrently } from "#lib/platform/run-concurrently";
import { minWorkerLength } from "#lib/platform/run-worker";
import type { FileFetch, HostGate, RobotsCache } from "#lib/tracking/fetching/index";
import type { DueVendor } from "#lib/tracking/ingestion/index";
import { type TrackContext, type TrackOutcome, trackVendor } from "./track-vendor";

export type TrackVendorsContext = Omit<TrackContext, "files"> & {
  fetch: typeof guardedFetch;
  /** The whole `User-Agent`, with a URL that identifies this service. */
  userAgent: string;
  /** Both are shared by all runs of a process. */
  robots: RobotsCache;
  hosts: HostGate;
  sleep: (waitMs: number, signal?: AbortSignal) => Promise<unknown>;
  random: () => number;
  /** Time on the clock's `monotonicMs` by which the run ends. */
  deadlineMs: number;
  signal?: AbortSignal;
};

/** Where the vendors come from. */
export type VendorSource = {
  /** Returns up to `limit` vendors to fetch, none if there are no more. Never called while an earlier call is pending. */
  take: (limit: number) => Promise<DueVendor[]>;
  /** Called when a vendor is finished, in any order. */
  finish: (vendor: DueVendor, outcome: TrackOutcome) => void;
};

/** Returns a source of given vendors. */
export function sourceOf(vendors: readonly DueVendor[], finish: VendorSource["finish"] = () => {}): VendorSource {
  const remaining = [...vendors];
  return { take: async (limit) => remaining.splice(0, limit), finish };
}

/** Result of a run, in vendors. */
export type TrackSummary = {
  fetched: number;
  changed: number;
  /** The same content, whether it was sent again or not. */
  unchanged: number;
  failed: number;
  /** Vendors that were not fetched, because the run had to end. */
  left: number;
};

/** No fetch starts with less time than this left. */
const minFetchTimeMs = 5_000;
/**
 * Most vendors of a run that are compared and stored beyond those that have a place, and never more than these. It bounds the
 * memory for their texts, and what is still to be stored when the run has to end.
 */
const maxExtraVendors = 16;
/** Time reserved for storing the results of the last fetches. */
const writeTimeMs = 3_000;

/** Whether a text is compared in the worker thread, one at a time. Its previous version is assumed to be as long. */
function needsThread({ reader }: DueVendor, fetched: FileFetch): boolean {
  return fetched.kind === "content" && (reader === "openapi" || 2 * fetched.text.length >= minWorkerLength);
}

/**
 * Tracks the vendors of a source, several concurrently, until it has none left, the deadline is near or the signal is
 * aborted. Any number of processes may run at the same time. Throws if the database fails.
 */
export async function trackVendors(
  context: TrackVendorsContext,
  { take, finish }: VendorSource,
  concurrency: number,
): Promise<TrackSummary> {
  const { clock, deadlineMs, signal, fetch, userAgent, robots, hosts, sleep, random } = context;
  const files = { fetch, userAgent, robots, hosts, sleep, random, clock, deadlineMs: deadlineMs - writeTimeMs, signal };
  const counts = { changed: 0, unchanged: 0, not_modified: 0, failed: 0, released: 0, stale: 0 };
  await runConcurrently({
    take,
    concurrency,
    extraCount: Math.min(concurrency, maxExtraVendors),
    mayTake: () => !signal?.aborted && clock.monotonicMs() < deadlineMs - writeTimeMs - minFetchTimeMs,
    // Other files are fetched while this one is compared and stored.
    work: async (vendor, freePlace) => {
      const onFetched = (fetched: FileFetch) => {
        if (!needsThread(vendor, fetched)) freePlace();
      };
      const outcome = await trackVendor({ ...context, files, onFetched }, vendor);
      counts[outcome] += 1;
      finish(vendor, outcome);
    },
  });
  const { changed, failed, released } = counts;
  const unchanged = counts.unchanged + counts.not_modified;
  return { fetched: changed + unchanged + failed, changed, unchanged, failed, left: released };
}
