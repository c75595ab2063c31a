import type { guardedFetch } from "#lib/platform/outbound/index";
import { HostGate, RobotsCache } from "#lib/tracking/snapshots/index";
import { fetchVendor, type VendorFetchContext, type VendorOutcome } from "./fetch-vendor";
import { type ClaimedVendor, type ClaimScope, claimVendors, countDue, releaseClaims } from "./store";

export type FetchVendorsContext = Omit<VendorFetchContext, "files"> & {
  fetch: typeof guardedFetch;
  /** The whole `User-Agent`, with a URL that says who this is. */
  userAgent: string;
  sleep: (waitMs: number, signal?: AbortSignal) => Promise<unknown>;
  random: () => number;
  /** A moment on the clock's `monotonicMs` by which the run is to end. */
  deadlineMs: number;
  signal?: AbortSignal;
};

export type FetchVendorsOptions = {
  /** Only these, due or not; by default all that are due. */
  slugs?: readonly string[];
  /** Vendors that are fetched at once. */
  concurrency?: number;
  /** Called as each vendor is done. */
  onOutcome?: (vendor: ClaimedVendor, outcome: VendorOutcome) => void;
};

/** What a run did, in vendors. */
export type FetchSummary = {
  fetched: number;
  changed: number;
  /** The same content, sent again or not. */
  unchanged: number;
  failed: number;
  /** Due vendors that the time did not suffice for; the next run begins with them. */
  left: number;
};

const defaultConcurrency = 8;
/** No fetch is begun with less time than this left, in milliseconds. */
const leastFetchTimeMs = 5_000;
/** What is kept for writing what the last fetches brought. */
const writeTimeMs = 3_000;

/** Hands vendors out one by one, and claims a few at a time, so that a run that is killed holds few. */
class ClaimQueue {
  readonly #claim: () => Promise<ClaimedVendor[]>;
  readonly #ready: ClaimedVendor[] = [];
  #claiming: Promise<void> | undefined;
  #isExhausted = false;

  constructor(
    claim: () => Promise<ClaimedVendor[]>,
    /** Claims once: the named vendors stay in scope when they are done. */
    readonly isOnce: boolean,
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
    this.#isExhausted = this.isOnce || claimed.length === 0;
  }
}

/**
 * Fetches every vendor that is due, some at once, until none is left, the deadline is near or the signal is aborted.
 * The caller sees to it that one run goes on at a time. Throws where the database fails.
 */
export async function fetchVendors(
  context: FetchVendorsContext,
  { slugs, concurrency = defaultConcurrency, onOutcome }: FetchVendorsOptions = {},
): Promise<FetchSummary> {
  const { database, clock, runId, deadlineMs, signal } = context;
  const scope: ClaimScope = slugs ? { slugs } : { dueAt: clock.now() };
  const claimedCount = slugs?.length ?? 2 * concurrency;
  const queue = new ClaimQueue(() => claimVendors(database, { runId, scope, claimedCount }), slugs !== undefined);
  const files = {
    ...{ fetch: context.fetch, userAgent: context.userAgent, sleep: context.sleep, random: context.random },
    ...{ clock, robots: new RobotsCache(), hosts: new HostGate(), deadlineMs: deadlineMs - writeTimeMs, signal },
  };
  const counts: Record<VendorOutcome, number> = {
    changed: 0,
    unchanged: 0,
    not_modified: 0,
    failed: 0,
    released: 0,
    lost: 0,
  };
  const goesOn = () =>
    !signal?.aborted && counts.lost === 0 && clock.monotonicMs() < deadlineMs - writeTimeMs - leastFetchTimeMs;
  const work = async () => {
    while (goesOn()) {
      const vendor = await queue.next();
      if (!vendor) return;
      const outcome = await fetchVendor({ ...context, files }, vendor);
      counts[outcome] += 1;
      onOutcome?.(vendor, outcome);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  const broken = workers.find((worker) => worker.status === "rejected");
  if (broken) throw broken.reason;
  await releaseClaims(database, runId);
  const { changed, failed } = counts;
  const unchanged = counts.unchanged + counts.not_modified;
  const left = "dueAt" in scope ? await countDue(database, scope.dueAt) : counts.released;
  return { fetched: changed + unchanged + failed, changed, unchanged, failed, left };
}
