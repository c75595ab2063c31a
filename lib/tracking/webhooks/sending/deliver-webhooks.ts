import { setTimeout as wait } from "node:timers/promises";
import { type EncryptionKeys, encryptionKeys } from "#lib/platform/encryption";
import { attemptDelivery, type DeliveryContext, type DeliveryOutcome } from "./attempt-delivery";
import { attemptTimeoutMs } from "./post-delivery";
import { type ClaimedDelivery, cancelEnded, claimDeliveries, countDue, findNextDue } from "./store";

export type DeliverContext = Omit<DeliveryContext, "signal" | "keys"> & {
  /** Default: those that are configured. Without any nothing can be signed, so nothing is sent. */
  keys?: EncryptionKeys | undefined;
  sleep?: (waitMs: number, signal?: AbortSignal) => Promise<unknown>;
};
type WholeContext = DeliveryContext & Required<Pick<DeliverContext, "sleep">>;

export type DeliverOptions = {
  /** A moment on the clock's `monotonicMs` by which the run is to end; no attempt begins in the last 12 s before it. */
  deadlineMs: number;
  signal?: AbortSignal;
  /** Attempts at once. Default: 16. */
  concurrency?: number;
  /**
   * How long the run stays for what is due soon, such as the retry after 5 s, once nothing else is left. Default: 0.
   */
  lingerMs?: number;
};

/** What a run did, in deliveries; `failed` ones are tried again. */
export type DeliverSummary = {
  delivered: number;
  failed: number;
  dead: number;
  cancelled: number;
  /** Due ones that the time did not suffice for, or that others have in hand. */
  left: number;
};

const defaultConcurrency = 16;
/** Time for an attempt and for writing down what came of it. */
const wholeAttemptMs = attemptTimeoutMs + 2_000;
const cancelBatchSize = 1_000;
/** How soon a run sees what was added while all that it does is wait for receivers, in milliseconds. */
const lookAgainAfterMs = 500;
const unsent = { delivered: 0, failed: 0, dead: 0, cancelled: 0, released: 0, lost: 0 };

/** The attempts of one run that are under way. */
class Run {
  readonly counts = { ...unsent };
  readonly #context: WholeContext;
  readonly #concurrency: number;
  readonly #attempts = new Set<Promise<void>>();
  #failingCount = 0;
  #fault: { error: unknown } | undefined;

  constructor(context: WholeContext, concurrency: number) {
    this.#context = context;
    this.#concurrency = concurrency;
  }

  get isBusy(): boolean {
    return this.#attempts.size > 0;
  }

  get hasFault(): boolean {
    return this.#fault !== undefined;
  }

  /** Claims as many deliveries as there are free places, and begins with them; false where there was none. */
  async fill(): Promise<boolean> {
    const { database, clock, ids } = this.#context;
    const limit = this.#concurrency - this.#attempts.size;
    if (limit <= 0) return false;
    // Receivers that fail get half of the places at most: they may take their ten seconds each.
    const failingLimit = Math.max(0, Math.ceil(this.#concurrency / 2) - this.#failingCount);
    const claim = { leaseId: ids.next(), now: clock.now(), limit, failingLimit };
    const claimed = await claimDeliveries(database, claim);
    for (const delivery of claimed) this.#begin(delivery);
    return claimed.length > 0;
  }

  #begin(delivery: ClaimedDelivery): void {
    const isFailing = delivery.failingSince !== null;
    if (isFailing) this.#failingCount += 1;
    const attempt = attemptDelivery(this.#context, delivery)
      .then(
        (outcome) => this.#note(outcome),
        (error: unknown) => {
          this.#fault ??= { error };
        },
      )
      .finally(() => {
        if (isFailing) this.#failingCount -= 1;
        this.#attempts.delete(attempt);
      });
    this.#attempts.add(attempt);
  }

  #note({ kind, cancelledCount }: DeliveryOutcome): void {
    this.counts[kind] += 1;
    this.counts.cancelled += cancelledCount;
  }

  /** Waits until an attempt ends, or for a moment: what was added meanwhile does not wait for a slow receiver. */
  async untilOneEnds(): Promise<void> {
    const stop = new AbortController();
    const moment = wait(lookAgainAfterMs, undefined, { signal: stop.signal }).catch(() => undefined);
    await Promise.race([...this.#attempts, moment]);
    stop.abort();
  }

  /** Waits for what is under way. Throws what the first attempt threw that could not be written down. */
  async end(): Promise<void> {
    await Promise.all(this.#attempts);
    if (this.#fault) throw this.#fault.error;
  }
}

/** Cancels what was added for a webhook while it ended. */
async function cancelAllEnded({ database, clock }: Pick<DeliverContext, "database" | "clock">): Promise<number> {
  for (let total = 0; ; ) {
    const count = await cancelEnded(database, { at: clock.now(), limit: cancelBatchSize });
    total += count;
    if (count < cancelBatchSize) return total;
  }
}

/** Waits until the next delivery is due, where that is soon; false where it is not. */
async function waitForNext(context: WholeContext, { deadlineMs, signal, lingerMs = 0 }: DeliverOptions) {
  const { database, clock, sleep } = context;
  const due = lingerMs > 0 ? await findNextDue(database) : null;
  if (!due) return false;
  const waitMs = Math.max(0, due.getTime() - clock.now().getTime());
  if (waitMs === 0 || waitMs > lingerMs) return false;
  if (clock.monotonicMs() + waitMs > deadlineMs - wholeAttemptMs) return false;
  await sleep(waitMs, signal).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
  return true;
}

async function send(context: WholeContext, options: DeliverOptions): Promise<Run["counts"]> {
  const { deadlineMs, signal, concurrency = defaultConcurrency } = options;
  const run = new Run(context, concurrency);
  const goesOn = () => !signal?.aborted && !run.hasFault && context.clock.monotonicMs() <= deadlineMs - wholeAttemptMs;
  while (goesOn()) {
    // What ended while it was looked for work may have made room for more.
    const wasBusy = run.isBusy;
    if (await run.fill()) continue;
    if (run.isBusy) await run.untilOneEnds();
    else if (!wasBusy && !(await waitForNext(context, options))) break;
  }
  await run.end();
  return run.counts;
}

const systemSleep = (waitMs: number, signal?: AbortSignal) => wait(waitMs, undefined, { signal });

/**
 * Sends every delivery that is due, some at once, until none is left, the deadline is near or the signal is aborted.
 * Any number of runs may go on at a time, in one process or in many. Throws where the database fails.
 */
export async function deliverWebhooks(context: DeliverContext, options: DeliverOptions): Promise<DeliverSummary> {
  const { database, clock, log } = context;
  const { keys = encryptionKeys(), sleep = systemSleep } = context;
  const { signal } = options;
  const ended = await cancelAllEnded(context);
  const counts = keys ? await send({ ...context, keys, sleep, signal }, options) : unsent;
  const { delivered, failed, dead, cancelled } = counts;
  const left = await countDue(database, clock.now());
  if (!keys && left > 0) log.error({ left }, "webhooks cannot be signed: ENCRYPTION_KEYS is not configured");
  return { delivered, failed, dead, cancelled: ended + cancelled, left };
}
