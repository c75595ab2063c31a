import type { guardedFetch } from "#lib/platform/outbound/index";
import {
  type ClaimedVendor,
  type ClaimScope,
  claimVendors,
  countDue,
  releaseClaims,
} from "#lib/tracking/ingestion/index";
import { HostGate, RobotsCache } from "#lib/tracking/snapshots/index";
import { type TrackContext, type TrackOutcome, trackVendor } from "./track-vendor";

export type TrackVendorsContext = Omit<TrackContext, "files"> & {
  fetch: typeof guardedFetch;
  /** The whole `User-Agent`, with a URL that identifies this service. */
  userAgent: string;
  sleep: (waitMs: number, signal?: AbortSignal) => Promise<unknown>;
  random: () => number;
  /** Time on the clock's `monotonicMs` by which the run ends. */
  deadlineMs: number;
  signal?: AbortSignal;
};

export type TrackVendorsOptions = {
  /** Only these vendors, due or not; by default all that are due. */
  slugs?: readonly string[];
  /** Vendors fetched concurrently. */
  concurrency?: number;
  /** Called after each vendor. */
  onOutcome?: (vendor: ClaimedVendor, outcome: TrackOutcome) => void;
};

/** Result of a run, in vendors. */
type TrackSummary = {
  fetched: number;
  changed: number;
  /** The same content, whether it was sent again or not. */
  unchanged: number;
  failed: number;
  /** Due vendors that there was no time for; the next run starts with them. */
  left: number;
};

const defaultConcurrency = 8;
/** No fetch starts with less time than this left. */
const minFetchTimeMs = 5_000;
/** Time reserved for storing the results of the last fetches. */
const writeTimeMs = 3_000;

/** Hands out vendors one by one and claims a few at a time, so that a run that is killed holds few claims. */
class ClaimQueue {
  readonly #claim: () => Promise<ClaimedVendor[]>;
  readonly #ready: ClaimedVendor[] = [];
  #claiming: Promise<void> | undefined;
  #isExhausted = false;

  constructor(
    claim: () => Promise<ClaimedVendor[]>,
    /** Claims only once, because vendors given by name stay in scope after they are fetched. */
    readonly claimsOnce: boolean,
  ) {
    this.#claim = claim;
  }

  async next(): Promise<ClaimedVendor | undefined> {
    while (this.#ready.length === 0 && !this.#isExhausted) {
      this.#claiming ??= this.#refill().finally(() => {
        this.#claiming = undefined;
      });
      await this.#claiming;
    }
    return this.#ready.shift();
  }

  async #refill(): Promise<void> {
    const claimed = await this.#claim();
    this.#ready.push(...claimed);
    this.#isExhausted = this.claimsOnce || claimed.length === 0;
  }
}

/**
 * Tracks every vendor that is due, several concurrently, until none is left, the deadline is near or the signal is
 * aborted. The caller ensures that only one run is active. Throws if the database fails.
 */
export async function trackVendors(
  context: TrackVendorsContext,
  { slugs, concurrency = defaultConcurrency, onOutcome }: TrackVendorsOptions = {},
): Promise<TrackSummary> {
  const { database, clock, runId, deadlineMs, signal } = context;
  const scope: ClaimScope = slugs ? { slugs } : { dueAt: clock.now() };
  const claimedCount = slugs?.length ?? 2 * concurrency;
  const queue = new ClaimQueue(() => claimVendors(database, { runId, scope, claimedCount }), slugs !== undefined);
  const files = {
    ...{ fetch: context.fetch, userAgent: context.userAgent, sleep: context.sleep, random: context.random },
    ...{ clock, robots: new RobotsCache(), hosts: new HostGate(), deadlineMs: deadlineMs - writeTimeMs, signal },
  };
  const counts: Record<TrackOutcome, number> = {
    changed: 0,
    unchanged: 0,
    not_modified: 0,
    failed: 0,
    released: 0,
    lost: 0,
  };
  const mayStartNext = () =>
    !signal?.aborted && counts.lost === 0 && clock.monotonicMs() < deadlineMs - writeTimeMs - minFetchTimeMs;
  const work = async () => {
    while (mayStartNext()) {
      const vendor = await queue.next();
      if (!vendor) return;
      const outcome = await trackVendor({ ...context, files }, vendor);
      counts[outcome] += 1;
      onOutcome?.(vendor, outcome);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  const failedWorker = workers.find((worker) => worker.status === "rejected");
  if (failedWorker) throw failedWorker.reason;
  await releaseClaims(database, runId);
  const { changed, failed } = counts;
  const unchanged = counts.unchanged + counts.not_modified;
  const left = "dueAt" in scope ? await countDue(database, scope.dueAt) : counts.released;
  return { fetched: changed + unchanged + failed, changed, unchanged, failed, left };
}
