/** Calls `onTime` after `timeoutMs` milliseconds. Returns a function that cancels the timer. Passed in, so that tests control time. */
export type StartTimer = (timeoutMs: number, onTime: () => void) => () => void;

export const startSystemTimer: StartTimer = (timeoutMs, onTime) => {
  const timer = setTimeout(onTime, timeoutMs);
  return () => clearTimeout(timer);
};
