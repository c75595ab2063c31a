import pLimit, { type LimitFunction } from "p-limit";
import { onAbort } from "#lib/platform/outbound/index";

/** Limits concurrent tasks per host; further tasks wait their turn. Idle hosts use no memory. */
export class HostGate {
  readonly #maxConcurrency: number;
  readonly #limits = new Map<string, LimitFunction>();

  constructor(maxConcurrency = 2) {
    this.#maxConcurrency = maxConcurrency;
  }

  /** Runs a task when it is its turn. Rejects with the task's error, or with the signal's reason if aborted while waiting. */
  async run<T>(host: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const limit = this.#limits.get(host) ?? pLimit(this.#maxConcurrency);
    this.#limits.set(host, limit);
    return new Promise<T>((resolve, reject) => {
      // p-limit cannot withdraw a queued task: an aborted one rejects at once, and does nothing when its turn comes.
      const ignoreSignal = onAbort(signal, () => reject(signal?.reason));
      const takeTurn = async () => {
        ignoreSignal();
        if (signal?.aborted) return;
        try {
          resolve(await task());
        } catch (error) {
          reject(error);
        }
      };
      void limit(takeTurn).then(() => this.#forgetIdle(host, limit));
    });
  }

  #forgetIdle(host: string, limit: LimitFunction): void {
    const isIdle = limit.activeCount === 0 && limit.pendingCount === 0;
    if (isIdle && this.#limits.get(host) === limit) this.#limits.delete(host);
  }
}
