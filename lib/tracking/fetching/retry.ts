import type { Clock } from "#lib/platform/clock";

/** Attempts at one file, including the first. */
export const maxAttemptCount = 3;
/** Upper bound of the random wait before the second attempt; doubled before the third. */
const firstBackoffMs = 1_000;
/** Longest `Retry-After` that is waited for within the run; after a longer one the vendor is rescheduled. */
const maxRetryAfterMs = 10_000;

/** Result of one attempt, and whether another attempt may succeed. */
export type Attempt<T> = { result: T; isTransient: boolean; retryAfterMs: number | null };

type RetryContext = {
  clock: Clock;
  sleep: (waitMs: number, signal?: AbortSignal) => Promise<unknown>;
  random: () => number;
  deadlineMs: number;
  signal?: AbortSignal;
};

/**
 * Returns the result of the last attempt. Transient failures are retried within the deadline, after a random, growing
 * wait or the requested one, whichever is longer.
 */
export async function withRetries<T>(context: RetryContext, attempt: () => Promise<Attempt<T>>): Promise<T> {
  const { clock, sleep, random, deadlineMs, signal } = context;
  for (let attemptCount = 1; ; attemptCount += 1) {
    const { result, isTransient, retryAfterMs } = await attempt();
    if (!isTransient || attemptCount === maxAttemptCount) return result;
    const backoffMs = random() * firstBackoffMs * 2 ** (attemptCount - 1);
    const waitMs = Math.max(retryAfterMs ?? 0, backoffMs);
    if (waitMs > maxRetryAfterMs || clock.monotonicMs() + waitMs >= deadlineMs) return result;
    try {
      await sleep(waitMs, signal);
    } catch (error) {
      // The next attempt fails at once and reports the abort.
      if (!signal?.aborted) throw error;
    }
  }
}
