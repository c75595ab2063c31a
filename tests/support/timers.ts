import type { StartTimer } from "#lib/platform/timer";

/** Timers that never fire: what is waited for decides, however slow the machine is. */
export const untimed: StartTimer = () => () => undefined;

/** Timers that a test fires by their duration, in milliseconds. */
export function manualTimers() {
  const running = new Map<number, () => void>();
  const startTimer: StartTimer = (timeoutMs, onTime) => {
    running.set(timeoutMs, onTime);
    return () => void running.delete(timeoutMs);
  };
  return { startTimer, running };
}
