import { setTimeout as wait } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { isLoopbackHost } from "#lib/platform/loopback";
import { onAbort } from "#lib/platform/outbound/index";
import { secondMs } from "#lib/platform/time";
import { holdHostSlot, slotTaker } from "./store";

/** Returns the host whose requests a URL counts for: all ports of a name are one, except on this machine. */
export function hostOf({ host, hostname }: URL): string {
  return isLoopbackHost(hostname) ? host : hostname;
}

const maxConcurrency = 2;
/** Time from the start of one request for a file to the next one at the same host. */
const spacingMs = secondMs;
/**
 * A request holds its slot for the time in which two others cannot start anyway, so that a short one, as most are, needs
 * one statement. One that takes longer renews a lease, so that the slot is free soon after its process has ended, and
 * releases it at its end.
 */
const shortLeaseMs = maxConcurrency * spacingMs;
const longLeaseMs = 10 * secondMs;
const renewIntervalMs = 3 * secondMs;
const takePaced = slotTaker({ leaseMs: shortLeaseMs, spacingMs });
const takeUnpaced = slotTaker({ leaseMs: shortLeaseMs, spacingMs: 0 });

/** The database in which all processes take turns. */
type SharedSlots = { database: Database; ids: Ids; log: Log };

type TaskOptions = {
  signal?: AbortSignal | undefined;
  /** Whether it may start at once, as a request for robots.txt may. */
  isUnpaced?: boolean;
};

/**
 * Limits requests per host: two at a time, and with shared slots two at a time and one a second in all processes together.
 * Further ones wait their turn.
 */
export class HostGate {
  readonly #slots: SharedSlots | undefined;
  readonly #limits = new Map<string, LimitFunction>();

  constructor(slots?: SharedSlots) {
    this.#slots = slots;
  }

  /** Runs a task when it is its turn. Rejects with the task's error, or with the signal's reason if aborted while waiting. */
  async run<T>(host: string, task: () => Promise<T>, { signal, isUnpaced = false }: TaskOptions = {}): Promise<T> {
    signal?.throwIfAborted();
    const limit = this.#limits.get(host) ?? pLimit(maxConcurrency);
    this.#limits.set(host, limit);
    return new Promise<T>((resolve, reject) => {
      // p-limit cannot withdraw a queued task: an aborted one rejects at once, and does nothing when its turn comes.
      const ignoreSignal = onAbort(signal, () => reject(signal?.reason));
      const takeTurn = async () => {
        ignoreSignal();
        if (signal?.aborted) return;
        try {
          resolve(await this.#inSlot(host, task, { signal, isUnpaced }));
        } catch (error) {
          reject(error);
        }
      };
      void limit(takeTurn).then(() => this.#forgetIdle(host, limit));
    });
  }

  async #inSlot<T>(host: string, task: () => Promise<T>, { signal, isUnpaced }: TaskOptions): Promise<T> {
    if (!this.#slots) return task();
    const { database, ids, log } = this.#slots;
    const slot = { host, id: ids.next() };
    const take = isUnpaced ? takeUnpaced : takePaced;
    for (;;) {
      const waitMs = await take(database, slot);
      if (waitMs === 0) break;
      await wait(waitMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
    const hold = (leaseMs: number) =>
      holdHostSlot(database, slot, leaseMs).catch((error: unknown) =>
        log.warn({ err: error, host }, "could not hold the slot of a request"),
      );
    let renewal: Promise<void> | undefined;
    let timer = setTimeout(function renew() {
      renewal = Promise.resolve(renewal).then(() => hold(longLeaseMs));
      timer = setTimeout(renew, renewIntervalMs);
    }, shortLeaseMs / 2);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
      if (renewal) await renewal.then(() => hold(0));
    }
  }

  #forgetIdle(host: string, limit: LimitFunction): void {
    const isIdle = limit.activeCount === 0 && limit.pendingCount === 0;
    if (isIdle && this.#limits.get(host) === limit) this.#limits.delete(host);
  }
}
