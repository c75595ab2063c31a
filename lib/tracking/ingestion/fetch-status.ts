import { dayMs, hourMs } from "#lib/platform/time";
import type { VendorStatus } from "#lib/tracking/vendors/index";

/** Status of a vendor that results from its fetches. */
export type FetchStatus = {
  status: VendorStatus;
  /** Consecutive failed fetches, and the time of the first of them. */
  failureCount: number;
  failingSince: Date | null;
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

type Timing = { now: Date; random: () => number };

function afterWait(waitMs: number, { now, random }: Timing): Date {
  return new Date(now.getTime() + waitMs * (1 + jitter * (2 * random() - 1)));
}

/** Returns the status after a fetch that returned the file or reported it as not modified. */
export function statusAfterSuccess({ status }: FetchStatus, intervalMs: number, timing: Timing): NextFetchStatus {
  const isBack = status === "unreachable";
  return {
    status: isBack ? "active" : status,
    failureCount: 0,
    failingSince: null,
    nextFetchAt: afterWait(intervalMs, timing),
    reason: isBack ? "the file could be fetched again" : null,
  };
}

/** Returns the status after a failed fetch. `retryAfterMs` is the wait that the vendor requested. */
export function statusAfterFailure(
  { status, failureCount: before, failingSince: since }: FetchStatus,
  { detail, retryAfterMs }: { detail: string; retryAfterMs: number | null },
  timing: Timing,
): NextFetchStatus {
  const { now } = timing;
  const failureCount = before + 1;
  const failingSince = since ?? now;
  const becomesUnreachable =
    status === "active" &&
    failureCount >= unreachableFailureCount &&
    now.getTime() - failingSince.getTime() >= unreachableAfterMs;
  const isDaily = becomesUnreachable || status === "unreachable";
  const waitMs = isDaily ? maxFailureWaitMs : Math.min(firstFailureWaitMs * 2 ** before, maxFailureWaitMs);
  const requestedAt = new Date(now.getTime() + (retryAfterMs ?? 0));
  const regularAt = afterWait(waitMs, timing);
  const firstFailure = failingSince.toISOString();
  return {
    status: becomesUnreachable ? "unreachable" : status,
    failureCount,
    failingSince,
    nextFetchAt: regularAt > requestedAt ? regularAt : requestedAt,
    reason: becomesUnreachable ? `${failureCount} consecutive fetches failed since ${firstFailure}: ${detail}` : null,
  };
}
