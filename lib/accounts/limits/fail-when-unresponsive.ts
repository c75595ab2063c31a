import { TimeoutError } from "#lib/platform/with-timeout";
import type { LimitStore, Taken } from "./store";

/** A timeout is measured in this many steps. */
const stepCount = 10;

/**
 * Returns a store whose pending calls fail with TimeoutError when none of its calls has been answered for `timeoutMs`
 * milliseconds. A store that answers slowly, or late because a burst of calls waits in line, is waited for. So is one
 * whose answers this process has not read yet: a step that comes late, because the event loop was blocked, counts as one.
 */
export function failWhenUnresponsive(store: LimitStore, timeoutMs: number): LimitStore {
  const pending = new Set<(error: Error) => void>();
  let stepsWithoutAnswer = 0;
  let timer: NodeJS.Timeout | undefined;

  function step() {
    stepsWithoutAnswer += 1;
    if (stepsWithoutAnswer < stepCount) return;
    const error = new TimeoutError(`no response within ${timeoutMs} ms`);
    for (const fail of pending) fail(error);
    pending.clear();
    stop();
  }

  function start() {
    if (timer) return;
    stepsWithoutAnswer = 0;
    timer = setInterval(step, timeoutMs / stepCount);
  }

  function stop() {
    clearInterval(timer);
    timer = undefined;
  }

  async function answered(call: Promise<Taken>, fail: (error: Error) => void): Promise<Taken> {
    try {
      return await call;
    } finally {
      stepsWithoutAnswer = 0;
      pending.delete(fail);
      if (pending.size === 0) stop();
    }
  }

  return {
    kind: store.kind,
    take: (subject, limit, now) =>
      new Promise((resolve, reject) => {
        pending.add(reject);
        start();
        answered(store.take(subject, limit, now), reject).then(resolve, reject);
      }),
  };
}
