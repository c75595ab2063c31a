import { setTimeout as wait } from "node:timers/promises";
import type { CallOutcome } from "./ask";

/** Longest wait that a provider can ask for before the second try, in milliseconds. */
const maxRetryWaitMs = 10_000;
/** Wait where it asks for none. */
const usualRetryWaitMs = 1_000;

export type Sleep = (waitMs: number, signal: AbortSignal) => Promise<unknown>;

export const sleepFor: Sleep = (waitMs, signal) => wait(waitMs, undefined, { signal });

/** Tries a second time what may pass, after the wait that the provider asked for, where that is bearable. */
export async function askWithRetry(
  attempt: () => Promise<CallOutcome>,
  { sleep, signal }: { sleep: Sleep; signal: AbortSignal },
): Promise<CallOutcome> {
  const first = await attempt();
  if (first.kind !== "failed" || !first.retry) return first;
  const waitMs = first.retry.afterMs ?? usualRetryWaitMs;
  if (waitMs > maxRetryWaitMs) return first;
  try {
    await sleep(waitMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return first;
  }
  return attempt();
}
