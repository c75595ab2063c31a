/** Passed in, so that tests control time. */
export type Clock = {
  /** Wall-clock time. */
  now(): Date;
  /** Milliseconds from an arbitrary start, never decreasing, with sub-millisecond digits. */
  monotonicMs(): number;
};

export const systemClock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };
