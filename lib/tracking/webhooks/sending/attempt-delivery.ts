import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { dayMs, hourMs, minuteMs } from "#lib/platform/time";
import { type Attempt, type PostContext, postDelivery } from "./post-delivery";
import {
  type ClaimedDelivery,
  cancelEnded,
  deactivateFailing,
  deactivateWebhook,
  hadAttempts,
  releaseDelivery,
  restartFailing,
  type Settlement,
  settleDelivery,
} from "./store";

const secondMs = 1_000;

/** Waits after the first failed attempt, the second, …; after the last of them a delivery is given up. */
export const retryWaitsMs: readonly number[] = [
  ...[5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs],
  ...[10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs],
];

/** Share by which waits differ at random, so that what failed together does not come again together. */
const jitter = 0.2;
/** Longest wait that a receiver can ask for. */
const maxRetryAfterMs = 24 * hourMs;

type Failed = {
  /** Attempts until now, this one included. */
  attemptCount: number;
  /** How long the receiver asked to be left alone. */
  retryAfterMs: number | null;
};

/** When a failed delivery is tried again: not before its turn, and not before the receiver asked; null: never. */
export function nextAttemptAt(
  { attemptCount, retryAfterMs }: Failed,
  { now, random }: { now: Date; random: () => number },
): Date | null {
  const waitMs = retryWaitsMs[attemptCount - 1];
  if (waitMs === undefined) return null;
  const usualMs = waitMs * (1 + jitter * (2 * random() - 1));
  return new Date(now.getTime() + Math.max(usualMs, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)));
}

/** A webhook is deactivated after so long without a single success. */
const failingLimitMs = 5 * dayMs;
/** Without an attempt for so long its failures count anew: longer than the longest wait between two attempts. */
const quietMs = 2 * dayMs;

export type DeliveryContext = PostContext & { database: Database; ids: Ids; log: Log; random: () => number };

export type DeliveryOutcome = {
  /**
   * `failed`: it is tried again; `dead`: it is not; `cancelled`: nor is it, for the webhook has ended; `released`: the
   * signal came first; `lost`: somebody else has taken it over, and nothing was written.
   */
  kind: "delivered" | "failed" | "dead" | "cancelled" | "released" | "lost";
  /** Deliveries that were cancelled because the webhook was deactivated. */
  cancelledCount: number;
};

function nextOf({ random }: DeliveryContext, delivery: ClaimedDelivery, attempt: Attempt): Settlement["next"] {
  const { at, isDelivered, retryAfterMs } = attempt;
  const { status, finishedAt, isTest } = delivery;
  if (isDelivered) return { status: "delivered", nextAttemptAt: at, finishedAt: at };
  // A delivery that had ended was sent again by hand: that it failed takes nothing back.
  if (status !== "pending") return { status, nextAttemptAt: delivery.nextAttemptAt, finishedAt };
  const attemptCount = delivery.attemptCount + 1;
  const retryAt = isTest ? null : nextAttemptAt({ attemptCount, retryAfterMs }, { now: at, random });
  if (retryAt) return { status, nextAttemptAt: retryAt, finishedAt: null };
  return { status: "dead", nextAttemptAt: at, finishedAt: at };
}

/** What a failure says of the webhook: nothing where it is ours, or a test that its owner tries out. */
function standingOf({ isTest }: ClaimedDelivery, { isDelivered, isOurFault }: Attempt): boolean | null {
  if (isDelivered) return true;
  return isTest || isOurFault ? null : false;
}

async function endFailing(
  { database }: DeliveryContext,
  { webhookId, failingSince }: ClaimedDelivery,
  at: Date,
): Promise<string | null> {
  if (!failingSince || at.getTime() - failingSince.getTime() < failingLimitMs) return null;
  if (!(await hadAttempts(database, webhookId, new Date(at.getTime() - quietMs), at))) {
    await restartFailing(database, webhookId, failingSince, at);
    return null;
  }
  const reason = `every attempt since ${failingSince.toISOString()} failed`;
  return (await deactivateFailing(database, { webhookId, at, reason, failingSince })) ? reason : null;
}

/** Ends a webhook whose receiver is gone, or has failed for too long; gives why, or null. */
async function endWebhook(
  context: DeliveryContext,
  delivery: ClaimedDelivery,
  attempt: Attempt,
): Promise<string | null> {
  const { at, httpStatus } = attempt;
  if (httpStatus === 410) {
    const reason = "the receiver answered 410 Gone";
    const { webhookId } = delivery;
    return (await deactivateWebhook(context.database, { webhookId, at, reason })) ? reason : null;
  }
  return standingOf(delivery, attempt) === false ? endFailing(context, delivery, at) : null;
}

async function settle(
  context: DeliveryContext,
  delivery: ClaimedDelivery,
  attempt: Attempt,
): Promise<DeliveryOutcome["kind"]> {
  const { database, ids } = context;
  const next = nextOf(context, delivery, attempt);
  const row = { id: ids.next(), ...attempt };
  const settlement = { delivery, attempt: row, next, isWell: standingOf(delivery, attempt) };
  const status = await settleDelivery(database, settlement);
  if (status === null) return "lost";
  if (attempt.isDelivered) return "delivered";
  if (status === "cancelled") return status;
  return next.status === "pending" ? "failed" : "dead";
}

/**
 * Makes one attempt at a delivery that was claimed, and writes down what came of it. A webhook whose receiver answers
 * 410, or that has failed for five days, ends with that. Throws where the database fails.
 */
export async function attemptDelivery(context: DeliveryContext, delivery: ClaimedDelivery): Promise<DeliveryOutcome> {
  const { database, clock, log } = context;
  const { id: deliveryId, webhookId } = delivery;
  const attempt = await postDelivery(context, delivery);
  if (!attempt) {
    await releaseDelivery(database, delivery, clock.now());
    return { kind: "released", cancelledCount: 0 };
  }
  const kind = await settle(context, delivery, attempt);
  if (kind === "lost") log.warn({ deliveryId, webhookId }, "a webhook delivery was taken over by another worker");
  if (attempt.isOurFault) log.error({ deliveryId, webhookId }, "a webhook's signing secret cannot be read");
  if (kind === "lost" || kind === "delivered") return { kind, cancelledCount: 0 };
  const reason = await endWebhook(context, delivery, attempt);
  if (reason === null) return { kind, cancelledCount: 0 };
  log.warn({ webhookId, reason }, "a webhook was deactivated");
  return { kind, cancelledCount: await cancelEnded(database, { at: attempt.at, webhookId }) };
}
