import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "#lib/platform/database/index";
import { type EncryptionKeys, encryptionKeys } from "#lib/platform/encryption";
import { secondMs } from "#lib/platform/time";
import { type DeliveryContext, type DeliveryOutcome, recordAttempt } from "./attempt-delivery";
import { Attempts, waitFor } from "./attempts";
import { attemptTimeoutMs, postDelivery } from "./post-delivery";
import { type ClaimedDelivery, cancelInactive, claimDeliveries, countDue, findNextDue, releaseDelivery } from "./store";

export type DeliverContext = Omit<DeliveryContext, "signal" | "keys"> & {
  /** Default: the configured keys. Without keys nothing can be signed, so nothing is sent. */
  keys?: EncryptionKeys | undefined;
  sleep?: (waitMs: number, signal?: AbortSignal) => Promise<unknown>;
};
type RunContext = DeliveryContext & Required<Pick<DeliverContext, "sleep">>;

export type DeliverOptions = {
  /** Time on the clock's `monotonicMs` by which the run ends, read before each attempt. None starts in the last 12 s before it. */
  readonly deadlineMs: number;
  signal?: AbortSignal;
  /** Concurrent attempts. Default: 64. */
  concurrency?: number;
  /** How long the run waits for deliveries that become due soon, such as the retry after 5 s. Default: 0. */
  lingerMs?: number;
};

/** Result of a run, in deliveries; `failed` ones will be retried. */
export type DeliverSummary = {
  delivered: number;
  failed: number;
  dead: number;
  cancelled: number;
  /** Due deliveries that there was no time for. */
  left: number;
};

export const defaultConcurrency = 64;
/** An attempt whose receiver has not responded after this time leaves its slot to another one. */
const slotTimeMs = secondMs;
/** Attempts in progress for each slot: those that have left their slot, and results that are not recorded yet. */
export const attemptsPerSlot = 4;
/** Time for an attempt and for recording its result. */
const wholeAttemptMs = attemptTimeoutMs + 2_000;
const cancelBatchSize = 1_000;
/** How often a run looks for new deliveries while it waits for receivers or for more free slots. */
const pollIntervalMs = 200;
/** Time between claims while the webhooks with attempts in progress get their next deliveries without one. */
const restMs = 50;
/** Share of the slots that are free before more deliveries are claimed: few cost as much to claim as many. */
const claimedShare = 1 / 4;
const noCounts = { delivered: 0, failed: 0, dead: 0, cancelled: 0, released: 0, lost: 0 };

/** The attempts of one run that are in progress. */
class Run {
  readonly counts = { ...noCounts };
  readonly #context: RunContext;
  /** Attempts whose results are not recorded yet. */
  readonly #attempts: Attempts;
  /** Attempts that started a moment ago, and have no response so far. */
  readonly #slots: Attempts;
  readonly #mayStart: () => boolean;
  /** Webhooks whose receivers answered the last attempts with a 2xx while these had a slot. */
  readonly #promptIds = new Set<string>();
  #claimedMs = Number.NEGATIVE_INFINITY;
  /** When a claim last got all that was due and free to claim, so that slots can be given on. */
  #gotAllMs = Number.NEGATIVE_INFINITY;
  #failure: { error: unknown } | undefined;

  constructor(context: RunContext, { concurrency, mayStart }: { concurrency: number; mayStart: () => boolean }) {
    this.#context = context;
    this.#mayStart = () => !this.#failure && mayStart();
    this.#slots = new Attempts(concurrency);
    this.#attempts = new Attempts(attemptsPerSlot * concurrency);
  }

  get isBusy(): boolean {
    return this.#attempts.all.size > 0;
  }

  /** Whether another attempt may start. */
  get isOpen(): boolean {
    return this.#mayStart();
  }

  /** Whether there are slots that no other webhook waits for, as far as the last claims show. */
  get #hasSpareSlots(): boolean {
    const isKnown = this.#context.clock.monotonicMs() - this.#gotAllMs < 2 * pollIntervalMs;
    return isKnown && this.#slots.free > 0;
  }

  /** Claims as many deliveries as there are free slots and starts their attempts. Returns whether there may be more. */
  async fill(): Promise<boolean> {
    const { database, clock, ids } = this.#context;
    const limit = Math.min(this.#slots.free, this.#attempts.free);
    const isWaiting = clock.monotonicMs() - this.#claimedMs < pollIntervalMs;
    if (limit <= 0 || (isWaiting && limit < claimedShare * this.#slots.limit)) return false;
    this.#claimedMs = clock.monotonicMs();
    const failingLimit = Math.max(0, Math.min(this.#slots.freeForFailing, this.#attempts.freeForFailing));
    // While slots are scarce, no webhook gets more of them than others.
    const promptIds = this.#hasSpareSlots ? [...this.#promptIds] : [];
    const claim = { leaseId: ids.next(), now: clock.now(), limit, failingLimit, promptIds };
    const claimed = await claimDeliveries(database, claim);
    this.#gotAllMs = claimed.length < limit ? clock.monotonicMs() : Number.NEGATIVE_INFINITY;
    for (const delivery of claimed) this.#start(delivery);
    return claimed.length === limit;
  }

  #start(delivery: ClaimedDelivery): void {
    const isFailing = delivery.failingSince !== null;
    const posted = postDelivery(this.#context, delivery);
    let isInTime = true;
    const inSlot = waitFor(posted, slotTimeMs, () => {
      isInTime = false;
      this.#promptIds.delete(delivery.webhookId);
    });
    this.#slots.add(inSlot, isFailing);
    const recorded = posted
      .then((attempt) => {
        const isPrompt = isInTime && attempt?.isDelivered === true;
        this.#promptIds[isPrompt ? "add" : "delete"](delivery.webhookId);
        const wantsNext = isPrompt && this.isOpen && this.#hasSpareSlots;
        // The slot of the next delivery, which is claimed with the result.
        if (wantsNext) this.#slots.add(recorded, false);
        return recordAttempt(this.#context, delivery, { attempt, wantsNext });
      })
      .then((outcome) => this.#goOn(outcome))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      });
    this.#attempts.add(recorded, isFailing);
  }

  async #goOn({ kind, cancelledCount, following }: DeliveryOutcome): Promise<void> {
    this.counts[kind] += 1;
    this.counts.cancelled += cancelledCount;
    if (!following) return;
    if (this.isOpen) this.#start(following);
    else await releaseDelivery(this.#context.database, following);
  }

  /** Waits until an attempt ends, at most `pollIntervalMs`, so that new deliveries do not wait for slow receivers. */
  async waitForAttempt(): Promise<void> {
    // Without a free slot, one is awaited; otherwise a recorded result, which frees its webhook for another attempt.
    const awaited = this.#slots.free <= 0 ? this.#slots : this.#attempts;
    const startedMs = performance.now();
    await waitFor(awaited.nextEnd(), pollIntervalMs);
    while (this.#hasSpareSlots && this.isBusy && performance.now() - startedMs < restMs)
      await waitFor(this.#attempts.nextEnd(), restMs - (performance.now() - startedMs));
  }

  /** Waits for the attempts in progress. Throws the first error of an attempt whose result could not be recorded. */
  async finish(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#attempts.all);
    if (this.#failure) throw this.#failure.error;
  }
}

/** Cancels deliveries that were enqueued for a webhook while it was deactivated. */
async function cancelAllInactive({ database, clock }: Pick<DeliverContext, "database" | "clock">): Promise<number> {
  for (let total = 0; ; ) {
    const count = await cancelInactive(database, { at: clock.now(), limit: cancelBatchSize });
    total += count;
    if (count < cancelBatchSize) return total;
  }
}

/** Waits until the next delivery is due if that is soon; otherwise returns false. */
async function waitForNext(context: RunContext, { deadlineMs, signal, lingerMs = 0 }: DeliverOptions) {
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

async function send(context: RunContext, options: DeliverOptions): Promise<Run["counts"]> {
  const { signal, concurrency = defaultConcurrency } = options;
  const mayStart = () => !signal?.aborted && context.clock.monotonicMs() <= options.deadlineMs - wholeAttemptMs;
  const run = new Run(context, { concurrency, mayStart });
  while (run.isOpen) {
    // Attempts that ended during the claim may have freed slots for more.
    const wasBusy = run.isBusy;
    if (await run.fill()) continue;
    if (run.isBusy) await run.waitForAttempt();
    else if (!wasBusy && !(await waitForNext(context, options))) break;
  }
  await run.finish();
  return run.counts;
}

/** Whether a delivery is due that can be sent. */
export async function hasDueDelivery(database: Database, now: Date): Promise<boolean> {
  const due = encryptionKeys() ? await findNextDue(database) : null;
  return due !== null && due <= now;
}

const systemSleep = (waitMs: number, signal?: AbortSignal) => wait(waitMs, undefined, { signal });

/**
 * Sends every delivery that is due, several concurrently, until none is left, the deadline is near or the signal is
 * aborted. Any number of runs may be active, in one or several processes. Throws if the database fails.
 */
export async function deliverWebhooks(context: DeliverContext, options: DeliverOptions): Promise<DeliverSummary> {
  const { database, clock, log } = context;
  const { keys = encryptionKeys(), sleep = systemSleep } = context;
  const { signal } = options;
  const cancelledBefore = await cancelAllInactive(context);
  const counts = keys ? await send({ ...context, keys, sleep, signal }, options) : noCounts;
  const { delivered, failed, dead, cancelled } = counts;
  const left = await countDue(database, clock.now());
  if (!keys && left > 0) log.error({ left }, "webhooks cannot be signed: ENCRYPTION_KEYS is not configured");
  return { delivered, failed, dead, cancelled: cancelledBefore + cancelled, left };
}
