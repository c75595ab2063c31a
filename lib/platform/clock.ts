/** Time and ids are passed in, so that tests decide them. */
export type Clock = {
  /** Wall-clock time. */
  now(): Date;
  /** Milliseconds from an arbitrary start, never going back, with sub-millisecond digits. */
  monotonicMs(): number;
};

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
