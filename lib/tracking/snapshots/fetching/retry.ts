import type { FetchContext } from "./file-fetch";

/** Attempts at one file, the first one included. */
const maxAttemptCount = 3;
/** Longest random wait before the second attempt, in milliseconds; doubled for the third. */
const firstBackoffMs = 1_000;
/** Longest `Retry-After` that is waited for here; beyond it the vendor is postponed. */
const maxHonouredWaitMs = 10_000;

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
