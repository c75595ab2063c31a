import type { Context } from "#lib/platform/context";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Checkout } from "#prisma/generated/client";
import type { SoldTier } from "./payments";
import { upgradeAccount } from "./store-upgrades";
import { settleOwnVendors } from "./store-vendors";
import type { SubscriptionState } from "./subscription-state";

/** An event of the provider that is being processed. */
export type PaymentEvent = { id: string; type: string; createdAt: Date };

export async function insertCheckout(
  client: Database,
  checkout: { id: string; tier: SoldTier; nonceHash: string; buyerId: string | null; createdAt: Date },
): Promise<void> {
  await client.checkout.create({ data: checkout, select: { id: true } });
}

export async function setCheckoutSession(client: Database, id: string, sessionId: string): Promise<void> {
  await client.checkout.update({ where: { id }, data: { sessionId }, select: { id: true } });
}

export async function findCheckout(
  client: Database,
  where: { id: string } | { sessionId: string },
): Promise<Checkout | null> {
  return client.checkout.findUnique({ where });
}

/**
 * Returns the checkout of a browser begun since `begun` that was fulfilled since `bought`, else its newest one that is not
 * fulfilled; null without any.
 */
export async function findEarlierCheckout(
  client: Database,
  nonceHash: string,
  { begun, bought }: { begun: Date; bought: Date },
): Promise<(Checkout & { sessionId: string }) | null> {
  const fulfilled = [{ fulfilledAt: null }, { fulfilledAt: { gt: bought } }];
  const found = await client.checkout.findFirst({
    where: { nonceHash, createdAt: { gt: begun }, sessionId: { not: null }, OR: fulfilled },
    orderBy: [{ fulfilledAt: { sort: "desc", nulls: "last" } }, { createdAt: "desc" }],
  });
  return found as (Checkout & { sessionId: string }) | null;
}

/** Returns whether an event was already processed. */
export async function isEventRecorded(client: Database, id: string): Promise<boolean> {
  return (await client.paymentEvent.findUnique({ where: { id }, select: { id: true } })) !== null;
}

/** Returns which events were processed. */
export async function findRecordedEvents(client: Database, ids: readonly string[]): Promise<Set<string>> {
  const found = await client.paymentEvent.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  return new Set(found.map(({ id }) => id));
}

/** Records an event as processed; false if it already was. */
export async function recordEvent(
  client: Database | Transaction,
  { id, type }: PaymentEvent,
  receivedAt: Date,
): Promise<boolean> {
  const { count } = await client.paymentEvent.createMany({ data: { id, type, receivedAt }, skipDuplicates: true });
  return count === 1;
}

type Fulfilment = {
  checkoutId: string;
  /** The account that gets the subscription; null: a new one. */
  buyerId: string | null;
  subscription: SubscriptionState;
  tier: SoldTier | "free";
  /** Hash of the buyer's mailbox; null if it is not known. */
  mailboxHash: string | null;
  now: Date;
  ids: Ids;
  event: PaymentEvent | undefined;
};

/**
 * Stores the subscription of a paid checkout and records the event, in one transaction: for its buyer, or for a new account with
 * the checkout's id if there is none or it already has a subscription. Returns the account's id; null if this was done before:
 * of two concurrent calls, the second one waits for the row lock.
 */
export async function insertPurchase(
  client: Database,
  { checkoutId, buyerId, subscription, tier, mailboxHash, now, ids, event }: Fulfilment,
): Promise<string | null> {
  return client.$transaction(async (transaction) => {
    if (event) await recordEvent(transaction, event, now);
    const { count } = await transaction.checkout.updateMany({
      where: { id: checkoutId, fulfilledAt: null },
      data: { fulfilledAt: now },
    });
    if (count === 0) return null;
    const upgrade = { subscription, tier, mailboxHash, now, ids };
    if (buyerId !== null && (await upgradeAccount(transaction, { accountId: buyerId, ...upgrade }))) {
      // There is no key to show.
      const data = { accountId: buyerId, revealedAt: now };
      await transaction.checkout.update({ where: { id: checkoutId }, data, select: { id: true } });
      return buyerId;
    }
    const account = { id: checkoutId, label: null, tier, mailboxHash };
    await transaction.account.create({ data: account, select: { id: true } });
    const row = { ...subscription, accountId: checkoutId, createdAt: now, updatedAt: now };
    await transaction.subscription.create({ data: row, select: { id: true } });
    const data = { accountId: checkoutId, buyerId: null };
    await transaction.checkout.update({ where: { id: checkoutId }, data, select: { id: true } });
    return checkoutId;
  });
}

/**
 * Marks a checkout's key as shown and creates the key, in one transaction. Null if it was already shown or the checkout is
 * not paid. Of two concurrent calls, one waits for the row lock of the other.
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

type SettleContext = Omit<Context, "log">;

/** Pauses and resumes at most `limit` vendors of accounts whose tier was changed in another way. Returns how many. */
export async function settleVendors(
  { database: client, clock, ids }: SettleContext,
  { limit }: { limit: number },
): Promise<number> {
  return client.$transaction((transaction) => settleOwnVendors(transaction, { limit, now: clock.now(), ids }));
}

/** Deletes payment events and unpaid checkouts older than `before`, at most `limit` of each; returns how many. */
export async function prunePurchases(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const events = await client.$executeRaw`
    DELETE FROM payment_events
    WHERE id IN (SELECT id FROM payment_events WHERE received_at < ${before} LIMIT ${limit})`;
  const checkouts = await client.$executeRaw`
    DELETE FROM checkouts
    WHERE id IN (SELECT id FROM checkouts WHERE created_at < ${before} AND fulfilled_at IS NULL LIMIT ${limit})`;
  return events + checkouts;
}
