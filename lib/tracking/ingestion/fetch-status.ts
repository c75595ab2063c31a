import { dayMs, hourMs, secondMs } from "#lib/platform/time";
import type { VendorStatus } from "#lib/tracking/vendors/index";

/** Status of a vendor that results from its fetches. */
export type FetchStatus = {
  status: VendorStatus;
  /** Consecutive failed fetches, and the time of the first of them. */
  failureCount: number;
  failingSince: Date | null;
  /** Regular time from one fetch to the next, in seconds; null before the first successful fetch. */
  fetchIntervalS: number | null;
};

export type NextFetchStatus = FetchStatus & {
  nextFetchAt: Date;
  /** Why the status changed; null if it did not. */
  reason: string | null;
};

/** A vendor is unreachable after this many consecutive failures over at least this time. */
const unreachableFailureCount = 5;
const unreachableAfterMs = dayMs;
/** Wait after the first failure, doubled after each further one. */
const firstFailureWaitMs = hourMs;
const maxFailureWaitMs = dayMs;
/** Random variation of the waits, as a share, which spreads the requests over time. */
const jitter = 0.1;

/** A change makes the interval shorter, and a fetch without one longer, by these factors: about four fetches a change. */
const changedFactor = 1 / 2;
const unchangedFactor = 5 / 4;
/** Bounds of a vendor's interval as multiples of the configured one, and in any case. */
const minFactor = 1 / 6;
const maxFactor = 8;
const minIntervalMs = hourMs;
/** Longest time from a fetch to the next one. */
export const maxFetchWaitMs = 7 * dayMs * (1 + jitter);

/** The configured intervals from one fetch to the next: the usual one, and the longest. */
export type FetchIntervals = { intervalMs: number; maxIntervalMs: number };

type Timing = { now: Date; random: () => number };

function afterWait(waitMs: number, { now, random }: Timing): Date {
  return new Date(now.getTime() + waitMs * (1 + jitter * (2 * random() - 1)));
}

type Fetched = FetchIntervals & {
  /** Whether this fetch returned another content than the one before. */
  isChanged: boolean;
};

/** Returns the time to the next regular fetch, in milliseconds. */
function nextInterval(fetchIntervalS: number | null, { intervalMs, maxIntervalMs, isChanged }: Fetched): number {
  const adapted =
    fetchIntervalS === null ? intervalMs : fetchIntervalS * secondMs * (isChanged ? changedFactor : unchangedFactor);
  const bounded = Math.min(Math.max(adapted, intervalMs * minFactor), intervalMs * maxFactor);
  return Math.min(Math.max(bounded, minIntervalMs), maxIntervalMs);
}

/** Returns the status after a fetch that returned the file or reported it as not modified. */
export function statusAfterSuccess(
  { status, fetchIntervalS }: FetchStatus,
  fetched: Fetched,
  timing: Timing,
): NextFetchStatus {
  const isBack = status === "unreachable";
  const waitMs = nextInterval(fetchIntervalS, fetched);
  return {
    status: isBack ? "active" : status,
    failureCount: 0,
    failingSince: null,
    fetchIntervalS: Math.round(waitMs / secondMs),
    nextFetchAt: afterWait(waitMs, timing),
    reason: isBack ? "the file could be fetched again" : null,
  };
}

/** Returns the status after a failed fetch. `retryAfterMs` is the wait that the vendor requested. */
export function statusAfterFailure(
  { status, failureCount: before, failingSince: since, fetchIntervalS }: FetchStatus,
  { detail, retryAfterMs }: { detail: string; retryAfterMs: number | null },
  { maxIntervalMs, ...timing }: Timing & Pick<FetchIntervals, "maxIntervalMs">,
): NextFetchStatus {
  const { now } = timing;
  const failureCount = before + 1;
  const failingSince = since ?? now;
  const becomesUnreachable =
    status === "active" &&
    failureCount >= unreachableFailureCount &&
    now.getTime() - failingSince.getTime() >= unreachableAfterMs;
  const isDaily = becomesUnreachable || status === "unreachable";
  const doubledMs = isDaily ? maxFailureWaitMs : firstFailureWaitMs * 2 ** before;
  const waitMs = Math.min(doubledMs, maxFailureWaitMs, maxIntervalMs);
  const requestedAt = new Date(now.getTime() + (retryAfterMs ?? 0));
  const regularAt = afterWait(waitMs, timing);
  const firstFailure = failingSince.toISOString();
  return {
    status: becomesUnreachable ? "unreachable" : status,
    failureCount,
    failingSince,
    fetchIntervalS,
    nextFetchAt: regularAt > requestedAt ? regularAt : requestedAt,
    reason: becomesUnreachable ? `${failureCount} consecutive fetches failed since ${firstFailure}: ${detail}` : null,
  };
}
