import type { AccountTier } from "#lib/accounts/plans/index";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { SoldTier } from "./payments";
import type { SubscriptionState } from "./subscription-state";

/** A purchase on its way. */
export type StoredCheckout = {
  id: string;
  sessionId: string | null;
  tier: AccountTier;
  nonceHash: string;
  accountId: string | null;
  revealedAt: Date | null;
};

/** A subscription as it stands; `updatedAt` tells its versions apart. */
export type StoredSubscription = Omit<SubscriptionState, "tier"> & {
  tier: AccountTier;
  accountId: string;
  updatedAt: Date;
};

/** An event of the provider that is being taken in. */
export type TakenEvent = { id: string; type: string; createdAt: Date };

const checkoutColumns = {
  ...{ id: true, sessionId: true, tier: true, nonceHash: true, accountId: true, revealedAt: true },
} as const;

/** The tiers that payment decides; what an operator has given above them stays. */
const tiersOfPayment = ["free", "starter", "pro"] as const;

export async function insertCheckout(
  client: Database,
  checkout: { id: string; tier: SoldTier; nonceHash: string; createdAt: Date },
): Promise<void> {
  await client.checkout.create({ data: checkout, select: { id: true } });
}

export async function setCheckoutSession(client: Database, id: string, sessionId: string): Promise<void> {
  await client.checkout.update({ where: { id }, data: { sessionId }, select: { id: true } });
}

export async function findCheckout(
  client: Database,
  where: { id: string } | { sessionId: string },
): Promise<StoredCheckout | null> {
  return client.checkout.findUnique({ where, select: checkoutColumns });
}

export async function findSubscription(
  client: Database,
  where: { id: string } | { accountId: string },
): Promise<StoredSubscription | null> {
  return client.subscription.findUnique({ where, omit: { createdAt: true } });
}

/** Whether an event was taken in before. */
export async function isEventTaken(client: Database, id: string): Promise<boolean> {
  return (await client.paymentEvent.findUnique({ where: { id }, select: { id: true } })) !== null;
}

/** Writes down that an event is taken in; false where it was so before. */
export async function takeEvent(
  client: Database | Transaction,
  { id, type }: TakenEvent,
  receivedAt: Date,
): Promise<boolean> {
  const { count } = await client.paymentEvent.createMany({ data: { id, type, receivedAt }, skipDuplicates: true });
  return count === 1;
}

export type Fulfilment = {
  checkoutId: string;
  subscription: SubscriptionState;
  tier: SoldTier | "free";
  now: Date;
  event: TakenEvent | undefined;
};

/**
 * Makes the account of a paid checkout with its subscription, and takes the event in, all or nothing. False where it was
 * made before: of two at once the second waits for the first one's row. The account has the checkout's id.
 */
export async function insertPurchase(
  client: Database,
  { checkoutId, subscription, tier, now, event }: Fulfilment,
): Promise<boolean> {
  return client.$transaction(async (transaction) => {
    if (event) await takeEvent(transaction, event, now);
    const { count } = await transaction.checkout.updateMany({
      where: { id: checkoutId, fulfilledAt: null },
      data: { fulfilledAt: now },
    });
    if (count === 0) return false;
    await transaction.account.create({ data: { id: checkoutId, label: null, tier }, select: { id: true } });
    const row = { ...subscription, accountId: checkoutId, createdAt: now, updatedAt: now };
    await transaction.subscription.create({ data: row, select: { id: true } });
    const accountId = { accountId: checkoutId };
    await transaction.checkout.update({ where: { id: checkoutId }, data: accountId, select: { id: true } });
    return true;
  });
}

class MovedOnError extends Error {}

export type Replacement = { next: SubscriptionState; tier: SoldTier | "free"; now: Date; event: TakenEvent };

/**
 * Puts a newer state in the place of one that was read, with the account's tier, and takes the event in, all or nothing.
 * False where the row has moved on meanwhile, and the state may be older than it: nothing is written then.
 */
export async function replaceSubscription(
  client: Database,
  seen: StoredSubscription,
  { next, tier, now, event }: Replacement,
): Promise<boolean> {
  // A version of its own also where the clock stands still.
  const updatedAt = new Date(Math.max(now.getTime(), seen.updatedAt.getTime() + 1));
  const write = async (transaction: Transaction) => {
    if (!(await takeEvent(transaction, event, now))) return;
    const { count } = await transaction.subscription.updateMany({
      where: { id: seen.id, updatedAt: seen.updatedAt },
      data: { ...next, updatedAt },
    });
    if (count === 0) throw new MovedOnError();
    const account = { id: seen.accountId, tier: { in: [...tiersOfPayment] } };
    await transaction.account.updateMany({ where: account, data: { tier } });
  };
  try {
    await client.$transaction(write);
    return true;
  } catch (error) {
    if (error instanceof MovedOnError) return false;
    throw error;
  }
}

/**
 * Marks a checkout's key as shown and makes the key in the same transaction; null where it was shown before, or is not
 * paid. Of two at once one waits for the other's row.
 */
export async function revealOnce<T>(
  client: Database,
  checkoutId: string,
  revealedAt: Date,
  makeKey: (transaction: Transaction) => Promise<T>,
): Promise<T | null> {
  return client.$transaction(async (transaction) => {
    const { count } = await transaction.checkout.updateMany({
      where: { id: checkoutId, revealedAt: null, accountId: { not: null } },
      data: { revealedAt },
    });
    return count === 0 ? null : makeKey(transaction);
  });
}

/** Accounts whose subscription gives no tier any more fall to free, some at a time; gives how many did. */
export async function endPassedTiers(client: Database, now: Date, limit: number): Promise<number> {
  return client.$executeRaw`
    WITH ended AS (
      SELECT subscriptions.account_id FROM subscriptions JOIN accounts ON accounts.id = subscriptions.account_id
      WHERE accounts.tier IN ('starter', 'pro') AND (
        subscriptions.grace_until <= ${now}
        OR (subscriptions.cancel_at_period_end AND subscriptions.current_period_end <= ${now})
      )
      ORDER BY subscriptions.id LIMIT ${limit} FOR UPDATE OF subscriptions SKIP LOCKED
    )
    UPDATE accounts SET tier = 'free', updated_at = ${now} FROM ended WHERE accounts.id = ended.account_id`;
}

/** Deletes taken events and unpaid checkouts from before a moment, some at a time; gives how many there were. */
export async function deletePassed(client: Database, before: Date, limit: number): Promise<number> {
  const events = await client.$executeRaw`
    DELETE FROM payment_events
    WHERE id IN (SELECT id FROM payment_events WHERE received_at < ${before} LIMIT ${limit})`;
  const checkouts = await client.$executeRaw`
    DELETE FROM checkouts
    WHERE id IN (SELECT id FROM checkouts WHERE created_at < ${before} AND fulfilled_at IS NULL LIMIT ${limit})`;
  return events + checkouts;
}
