import type { AccountTier } from "#lib/accounts/plans/index";
import type { Context } from "#lib/platform/context";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Checkout } from "#prisma/generated/client";
import type { SoldTier } from "./payments";
import { upgradeAccount } from "./store-upgrades";
import { settleOwnVendors } from "./store-vendors";
import type { SubscriptionState } from "./subscription-state";

/** A stored subscription; `updatedAt` identifies its version. */
type StoredSubscription = Omit<SubscriptionState, "tier"> & { tier: AccountTier; accountId: string; updatedAt: Date };

/** An event of the provider that is being processed. */
export type PaymentEvent = { id: string; type: string; createdAt: Date };

/** The tiers that payments change; higher ones were assigned by an operator and stay. */
const tiersOfPayment = ["free", "starter", "pro"] as const;

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

export async function findSubscription(
  client: Database,
  where: { id: string } | { accountId: string },
): Promise<StoredSubscription | null> {
  return client.subscription.findUnique({ where, omit: { createdAt: true } });
}

/** Returns whether an event was already processed. */
export async function isEventRecorded(client: Database, id: string): Promise<boolean> {
  return (await client.paymentEvent.findUnique({ where: { id }, select: { id: true } })) !== null;
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

class StaleStateError extends Error {}

type Replacement = { next: SubscriptionState; tier: SoldTier | "free"; now: Date; event: PaymentEvent; ids: Ids };

/** Most vendors that one transaction pauses or resumes; `settleVendors` does the others. */
const maxVendorCount = 1_000;

/**
 * Replaces the subscription state that was read as `stored`, sets the account's tier, pauses or resumes its vendors, and
 * records the event, in one transaction. False, and nothing is written, if the row has changed since it was read.
 */
export async function replaceSubscription(
  client: Database,
  stored: StoredSubscription,
  { next, tier, now, event, ids }: Replacement,
): Promise<boolean> {
  // Ensures a new version even if the clock has not advanced.
  const updatedAt = new Date(Math.max(now.getTime(), stored.updatedAt.getTime() + 1));
  const write = async (transaction: Transaction) => {
    if (!(await recordEvent(transaction, event, now))) return;
    const { count } = await transaction.subscription.updateMany({
      where: { id: stored.id, updatedAt: stored.updatedAt },
      data: { ...next, updatedAt },
    });
    if (count === 0) throw new StaleStateError();
    const account = { id: stored.accountId, tier: { in: [...tiersOfPayment] } };
    await transaction.account.updateMany({ where: account, data: { tier } });
    await settleOwnVendors(transaction, { accountIds: [stored.accountId], limit: maxVendorCount, now, ids });
  };
  try {
    await client.$transaction(write);
    return true;
  } catch (error) {
    if (error instanceof StaleStateError) return false;
    throw error;
  }
}

type TierChange = { accountId: string; tier: AccountTier; now: Date; ids: Ids };

/** Sets the tier of an account and pauses or resumes its vendors. `subscribed`: its payments would replace the tier. */
export async function setTierOf(
  client: Database,
  { accountId, tier, now, ids }: TierChange,
): Promise<"set" | "unknown" | "subscribed"> {
  return client.$transaction(async (transaction) => {
    const [account] = await transaction.$queryRaw<unknown[]>`
      SELECT id FROM accounts WHERE id = ${accountId}::uuid FOR NO KEY UPDATE`;
    if (!account) return "unknown";
    const isOfPayment = (tiersOfPayment as readonly AccountTier[]).includes(tier);
    const isSubscribed = { accountId, status: { not: "canceled" } };
    if (isOfPayment && (await transaction.subscription.count({ where: isSubscribed })) > 0) return "subscribed";
    await transaction.account.update({ where: { id: accountId }, data: { tier }, select: { id: true } });
    await settleOwnVendors(transaction, { accountIds: [accountId], limit: maxVendorCount, now, ids });
    return "set";
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

/**
 * Moves accounts to the free tier whose grace period after a failed payment is over or whose cancelled subscription has
 * ended, at most `limit`, and pauses their vendors; their keys stay valid. Returns how many accounts.
 */
export async function settleSubscriptions(
  { database: client, clock, ids }: SettleContext,
  { limit }: { limit: number },
): Promise<number> {
  const now = clock.now();
  return client.$transaction(async (transaction) => {
    const ended = await transaction.$queryRaw<{ id: string }[]>`
      WITH ended AS (
        SELECT subscriptions.account_id FROM subscriptions JOIN accounts ON accounts.id = subscriptions.account_id
        WHERE accounts.tier IN ('starter', 'pro') AND (
          subscriptions.grace_until <= ${now}
          OR (subscriptions.cancel_at_period_end AND subscriptions.current_period_end <= ${now})
        )
        ORDER BY subscriptions.id LIMIT ${limit} FOR UPDATE OF subscriptions SKIP LOCKED
      )
      UPDATE accounts SET tier = 'free', updated_at = ${now} FROM ended WHERE accounts.id = ended.account_id
      RETURNING accounts.id`;
    const accountIds = ended.map(({ id }) => id);
    if (ended.length > 0) await settleOwnVendors(transaction, { accountIds, limit: maxVendorCount, now, ids });
    return ended.length;
  });
}

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
