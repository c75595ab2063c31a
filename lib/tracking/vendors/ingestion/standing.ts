import { dayMs, hourMs } from "#lib/platform/time";
import type { VendorStatus } from "../schemas";

/** How a vendor stands: what its fetches have made of it. */
export type Standing = {
  status: VendorStatus;
  /** Failed fetches in a row, and when the first of them was. */
  failureCount: number;
  failingSince: Date | null;
};

export type NextStanding = Standing & {
  nextFetchAt: Date;
  /** Why the status changed; null where it did not. */
  reason: string | null;
};

/** A vendor is unreachable after so many failures in a row that span so long. */
const unreachableFailureCount = 5;
const unreachableAfterMs = dayMs;
/** Wait after the first failure; doubled by each further one, up to a day. */
const firstFailureWaitMs = hourMs;
const longestWaitMs = dayMs;
/** Share by which waits differ at random, so that the vendors' hosts are not all asked at once. */
const jitter = 0.1;

export type Timing = { now: Date; random: () => number };

function after(waitMs: number, { now, random }: Timing): Date {
  return new Date(now.getTime() + waitMs * (1 + jitter * (2 * random() - 1)));
}

/** After a fetch that gave the file, or said that it has not changed. */
export function standingAfterSuccess({ status }: Standing, intervalMs: number, timing: Timing): NextStanding {
  const isBack = status === "unreachable";
  return {
    status: isBack ? "active" : status,
    failureCount: 0,
    failingSince: null,
    nextFetchAt: after(intervalMs, timing),
    reason: isBack ? "a fetch gave the file again" : null,
  };
}

/** After a fetch that failed. `retryAfterMs` is how long the vendor asked to be left alone. */
export function standingAfterFailure(
  { status, failureCount: before, failingSince: since }: Standing,
  { detail, retryAfterMs }: { detail: string; retryAfterMs: number | null },
  timing: Timing,
): NextStanding {
  const { now } = timing;
  const failureCount = before + 1;
  const failingSince = since ?? now;
  const isLost =
    status === "active" &&
    failureCount >= unreachableFailureCount &&
    now.getTime() - failingSince.getTime() >= unreachableAfterMs;
  const isDaily = isLost || status === "unreachable";
  const waitMs = isDaily ? longestWaitMs : Math.min(firstFailureWaitMs * 2 ** before, longestWaitMs);
  const asked = new Date(now.getTime() + (retryAfterMs ?? 0));
  const usual = after(waitMs, timing);
  return {
    status: isLost ? "unreachable" : status,
    failureCount,
    failingSince,
    nextFetchAt: usual > asked ? usual : asked,
    reason: isLost ? `${failureCount} fetches in a row failed since ${failingSince.toISOString()}: ${detail}` : null,
  };
}
