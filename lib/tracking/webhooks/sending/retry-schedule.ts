import { hourMs, minuteMs } from "#lib/platform/time";

const secondMs = 1_000;

/** Waits after the first failed attempt, the second, …; after the last of them a delivery is given up. */
export const retryWaitsMs: readonly number[] = [
  ...[5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs],
  ...[10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs],
];

/** Share by which waits differ at random, so that what failed together does not come again together. */
const jitter = 0.2;
/** Longest wait that a receiver can ask for. */
const maxRetryAfterMs = 24 * hourMs;

type Failed = {
  /** Attempts until now, this one included. */
  attemptCount: number;
  /** How long the receiver asked to be left alone. */
  retryAfterMs: number | null;
};

/** When a failed delivery is tried again: not before its turn, and not before the receiver asked; null: never. */
export function nextAttemptAt(
  { attemptCount, retryAfterMs }: Failed,
  { now, random }: { now: Date; random: () => number },
): Date | null {
  const waitMs = retryWaitsMs[attemptCount - 1];
  if (waitMs === undefined) return null;
  const usualMs = waitMs * (1 + jitter * (2 * random() - 1));
  return new Date(now.getTime() + Math.max(usualMs, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)));
}
