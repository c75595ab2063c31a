import type { Context } from "#lib/platform/context";
import { dayMs, hourMs, minuteMs, secondMs } from "#lib/platform/time";
import { deactivateWebhook } from "../store";
import { type Attempt, type PostContext, postDelivery } from "./post-delivery";
import { type ClaimedDelivery, cancelInactive, hadAttempts, releaseDelivery, resetFailingSince } from "./store";
import { type Settlement, settleDelivery } from "./store-outcomes";

/** Waits after each failed attempt. A delivery whose attempt after the last wait fails is dead. */
export const retryWaitsMs: readonly number[] = [
  ...[5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs],
  ...[10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs],
];

/** Random variation of the waits, as a share, so that deliveries that failed together are not retried together. */
const jitter = 0.2;
/** Longest wait that a receiver can request. */
const maxRetryAfterMs = 24 * hourMs;

/** Longest time from an attempt to the next one. */
export const maxDeliveryWaitMs = Math.max(...retryWaitsMs, maxRetryAfterMs) * (1 + jitter);

type Failed = {
  /** Attempts so far, including the failed one. */
  attemptCount: number;
  /** Wait that the receiver requested. */
  retryAfterMs: number | null;
};

/** Returns when a failed delivery is retried: as scheduled, but not before the requested time; null if never. */
export function nextAttemptAt(
  { attemptCount, retryAfterMs }: Failed,
  { now, random }: { now: Date; random: () => number },
): Date | null {
  const waitMs = retryWaitsMs[attemptCount - 1];
  if (waitMs === undefined) return null;
  const scheduledMs = waitMs * (1 + jitter * (2 * random() - 1));
  return new Date(now.getTime() + Math.max(scheduledMs, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)));
}

/** A webhook is deactivated after this time without a success. */
const failingLimitMs = 5 * dayMs;
/** If there was no attempt for this long, `failingSince` is reset. Longer than the longest wait between two attempts. */
const idleResetMs = 2 * dayMs;

export type DeliveryContext = PostContext & Context & { random: () => number };

export type DeliveryOutcome = {
  /**
   * `failed`: will be retried; `dead`: will not be retried; `cancelled`: the webhook is deactivated; `released`: aborted
   * before the attempt finished; `lost`: another worker has the lease, and nothing was written.
   */
  kind: "delivered" | "failed" | "dead" | "cancelled" | "released" | "lost";
  /** Deliveries that were cancelled because the webhook was deactivated. */
  cancelledCount: number;
  /** The webhook's next delivery, leased, if the caller wanted one. */
  following: ClaimedDelivery | null;
};

function nextOf({ random }: DeliveryContext, delivery: ClaimedDelivery, attempt: Attempt): Settlement["next"] {
  const { isDelivered, retryAfterMs } = attempt;
  const endedAt = new Date(attempt.at.getTime() + attempt.durationMs);
  const { status, finishedAt, isTest } = delivery;
  if (isDelivered) return { status: "delivered", nextAttemptAt: endedAt, finishedAt: endedAt };
  // A finished delivery that is redelivered manually keeps its status if the attempt fails.
  if (status !== "pending") return { status, nextAttemptAt: delivery.nextAttemptAt, finishedAt };
  const attemptCount = delivery.attemptCount + 1;
  const retryAt = isTest ? null : nextAttemptAt({ attemptCount, retryAfterMs }, { now: endedAt, random });
  if (retryAt) return { status, nextAttemptAt: retryAt, finishedAt: null };
  return { status: "dead", nextAttemptAt: endedAt, finishedAt: endedAt };
}

/** Whether an attempt shows that the webhook works. Null for a failed test or an internal error, which show nothing. */
function judgeHealth({ isTest }: ClaimedDelivery, { isDelivered, isInternalError }: Attempt): boolean | null {
  if (isDelivered) return true;
  return isTest || isInternalError ? null : false;
}

async function deactivateLongFailing(
  { database }: DeliveryContext,
  { webhookId, failingSince }: ClaimedDelivery,
  at: Date,
): Promise<string | null> {
  if (!failingSince || at.getTime() - failingSince.getTime() < failingLimitMs) return null;
  if (!(await hadAttempts(database, webhookId, new Date(at.getTime() - idleResetMs), at))) {
    await resetFailingSince(database, webhookId, failingSince, at);
    return null;
  }
  const reason = `every attempt since ${failingSince.toISOString()} failed`;
  return (await deactivateWebhook(database, { id: webhookId, failingSince }, { at, reason })) ? reason : null;
}

/** Deactivates a webhook whose receiver is gone or has failed for too long. Returns the reason, or null. */
async function deactivateIfNeeded(
  context: DeliveryContext,
  delivery: ClaimedDelivery,
  attempt: Attempt,
): Promise<string | null> {
  const { at, httpStatus } = attempt;
  if (httpStatus === 410 && !delivery.isTest) {
    const reason = "the receiver answered 410 Gone";
    return (await deactivateWebhook(context.database, { id: delivery.webhookId }, { at, reason })) ? reason : null;
  }
  return judgeHealth(delivery, attempt) === false ? deactivateLongFailing(context, delivery, at) : null;
}

type Recorded = { attempt: Attempt; wantsNext: boolean };

async function settle(
  context: DeliveryContext,
  delivery: ClaimedDelivery,
  { attempt, wantsNext }: Recorded,
): Promise<Omit<DeliveryOutcome, "cancelledCount">> {
  const { database, ids, clock } = context;
  const next = nextOf(context, delivery, attempt);
  const row = { id: ids.next(), ...attempt };
  const isHealthy = judgeHealth(delivery, attempt);
  const nextLeaseId = wantsNext ? ids.next() : null;
  const settlement = { delivery, attempt: row, next, isHealthy, nextLeaseId, now: clock.now() };
  const { status, following } = await settleDelivery(database, settlement);
  if (status === null) return { kind: "lost", following };
  if (attempt.isDelivered) return { kind: "delivered", following };
  if (status === "cancelled") return { kind: status, following };
  return { kind: next.status === "pending" ? "failed" : "dead", following };
}

/**
 * Records the result of an attempt at a claimed delivery; null if the attempt was aborted. Deactivates the webhook if its
 * receiver responded with 410, except to a test, or it has failed for five days. With `wantsNext`, claims the next delivery
 * of a webhook that works. Throws if the database fails.
 */
export async function recordAttempt(
  context: DeliveryContext,
  delivery: ClaimedDelivery,
  { attempt, wantsNext = false }: { attempt: Attempt | null; wantsNext?: boolean },
): Promise<DeliveryOutcome> {
  const { database, log } = context;
  const { id: deliveryId, webhookId } = delivery;
  if (!attempt) {
    await releaseDelivery(database, delivery);
    return { kind: "released", cancelledCount: 0, following: null };
  }
  const { kind, following } = await settle(context, delivery, { attempt, wantsNext });
  if (kind === "lost") log.warn({ deliveryId, webhookId }, "another worker took over a webhook delivery");
  if (attempt.isInternalError) log.error({ deliveryId, webhookId }, "could not decrypt a webhook's signing secret");
  if (kind === "lost" || kind === "delivered") return { kind, cancelledCount: 0, following };
  const reason = await deactivateIfNeeded(context, delivery, attempt);
  if (reason === null) return { kind, cancelledCount: 0, following };
  log.warn({ webhookId, reason }, "deactivated a webhook");
  return { kind, cancelledCount: await cancelInactive(database, { at: attempt.at, webhookId }), following };
}

/** Makes one attempt at a claimed delivery and records the result. Throws if the database fails. */
export async function attemptDelivery(context: DeliveryContext, delivery: ClaimedDelivery): Promise<DeliveryOutcome> {
  return recordAttempt(context, delivery, { attempt: await postDelivery(context, delivery) });
}
