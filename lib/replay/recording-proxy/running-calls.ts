import { setMaxListeners } from "node:events";
import { secondMs } from "#lib/platform/time";

/** Any number of calls may listen to it at once. */
function callController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

export class RunningCalls {
  readonly #running = new Set<Promise<void>>();
  #forwarding = callController();
  #ending = callController();

  /** Is aborted when the test ends. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** Is aborted when the test has ended and the upstream has not answered in time. */
  get forwarding(): AbortSignal {
    return this.#forwarding.signal;
  }

  async track(run: Promise<void>): Promise<void> {
    this.#running.add(run);
    await run.finally(() => this.#running.delete(run));
  }

  /** Waits for answers that are still being recorded, and ends those that take longer. */
  async settle(maxMs: number): Promise<void> {
    this.#ending.abort();
    const timer = setTimeout(() => {
      this.#forwarding.abort(new Error(`the test ended ${maxMs / secondMs} s before it was complete`));
    }, maxMs);
    await Promise.allSettled(this.#running);
    clearTimeout(timer);
    this.#forwarding = callController();
    this.#ending = callController();
  }
}
