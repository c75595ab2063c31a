import type { FetchContext } from "./file-fetch";

/** Attempts at one file, the first one included. */
const maxAttemptCount = 3;
/** Longest random wait before the second attempt, in milliseconds; doubled for the third. */
const firstBackoffMs = 1_000;
/** Longest `Retry-After` that is waited for here; beyond it the vendor is postponed. */
const maxHonouredWaitMs = 10_000;
/** Longest postponement that a vendor can ask for. */
const maxRetryAfterMs = 24 * 60 * 60 * 1_000;

/** One try, and whether another may end otherwise. */
export type Attempt<T> = { result: T; isTransient: boolean; retryAfterMs: number | null };

type RetryContext = Pick<FetchContext, "clock" | "sleep" | "random" | "deadlineMs" | "signal">;

/** Tries again what may pass, after a random wait that grows or the wait that was asked for, within the deadline. */
export async function withRetries<T>(context: RetryContext, attempt: () => Promise<Attempt<T>>): Promise<T> {
  const { clock, sleep, random, deadlineMs, signal } = context;
  for (let attemptCount = 1; ; attemptCount += 1) {
    const { result, isTransient, retryAfterMs } = await attempt();
    if (!isTransient || attemptCount === maxAttemptCount) return result;
    const backoffMs = random() * firstBackoffMs * 2 ** (attemptCount - 1);
    const waitMs = Math.max(retryAfterMs ?? 0, backoffMs);
    if (waitMs > maxHonouredWaitMs || clock.monotonicMs() + waitMs >= deadlineMs) return result;
    try {
      await sleep(waitMs, signal);
    } catch (error) {
      // The next attempt tells of it.
      if (!signal?.aborted) throw error;
    }
  }
}

/** A `Retry-After` header, seconds or a date, in milliseconds from now, 24 h at most; null for anything else. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const value = header?.trim() ?? "";
  const waitMs = /^\d{1,15}$/.test(value) ? Number(value) * 1_000 : dateOf(value) - now.getTime();
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), maxRetryAfterMs);
}

/** HTTP's dates name their weekday; what else JavaScript takes for a date does not count. */
function dateOf(value: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value) ? Date.parse(value) : Number.NaN;
}
