import { type AccountTier, hasSubscriptionEnded } from "#lib/accounts/plans/index";
import type { Context } from "#lib/platform/context";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { type PaymentEvent, recordEvent } from "./store";
import { lockAccount } from "./store-upgrades";
import { settleOwnVendors } from "./store-vendors";
import { endedStatuses, type SubscriptionState, tierAt } from "./subscription-state";

const selected = {
  omit: { createdAt: true },
  include: { account: { select: { tier: true, mailboxHash: true } } },
} as const;

/** A stored subscription with its account; `updatedAt` identifies its version. */
export type StoredSubscription = Omit<SubscriptionState, "tier"> & {
  tier: AccountTier;
  accountId: string;
  updatedAt: Date;
  account: { tier: AccountTier; mailboxHash: string | null };
};

/** The tiers that payments change; higher ones were assigned by an operator and stay. */
const tiersOfPayment = ["free", "starter", "pro"] as const;

/** Returns whether payments change a tier. */
export function isTierOfPayment(tier: AccountTier): boolean {
  return (tiersOfPayment as readonly AccountTier[]).includes(tier);
}

export async function findSubscription(
  client: Database,
  where: { id: string } | { accountId: string },
): Promise<StoredSubscription | null> {
  return client.subscription.findUnique({ where, ...selected });
}

/** Most subscriptions of a customer that are read; each purchase has a customer of its own. */
const maxPerCustomer = 100;

export async function findSubscriptionIds(client: Database, customerId: string): Promise<string[]> {
  const found = await client.subscription.findMany({
    where: { customerId },
    select: { id: true },
    take: maxPerCustomer,
  });
  return found.map(({ id }) => id);
}

/** Returns running subscriptions of paid accounts whose period ended before a time, those checked longest ago first. */
export async function findOverdueSubscriptions(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<StoredSubscription[]> {
  return client.subscription.findMany({
    where: {
      currentPeriodEnd: { lt: before },
      status: { notIn: endedStatuses },
      account: { tier: { in: ["starter", "pro"] } },
    },
    ...selected,
    orderBy: [{ updatedAt: "asc" }, { id: "asc" }],
    take: limit,
  });
}

/** Returns subscriptions stored before a time that have not ended and are not among `ids`. */
export async function findOtherSubscriptions(
  client: Database,
  { ids, before, limit }: { ids: readonly string[]; before: Date; limit: number },
): Promise<{ id: string; accountId: string }[]> {
  // One array, because a list of parameters has a maximum length.
  return client.$queryRaw`
    SELECT id, account_id AS "accountId" FROM subscriptions
    WHERE created_at < ${before} AND status <> ALL(${endedStatuses}) AND id <> ALL(${ids}) ORDER BY id LIMIT ${limit}`;
}

/** Marks an unchanged subscription as checked, so that the next run starts with others. */
export async function touchSubscription(
  client: Database,
  { id, updatedAt }: StoredSubscription,
  now: Date,
): Promise<void> {
  await client.subscription.updateMany({ where: { id, updatedAt }, data: { updatedAt: now } });
}

class StaleStateError extends Error {}

/** Runs a transaction. Returns `stale`, and nothing is written, if it throws StaleStateError. */
async function unlessStale<T>(client: Database, stale: T, write: (transaction: Transaction) => Promise<T>): Promise<T> {
  try {
    return await client.$transaction(write);
  } catch (error) {
    if (error instanceof StaleStateError) return stale;
    throw error;
  }
}

type NewSubscriber = { accountId: string; state: SubscriptionState; mailboxHash: string | null; now: Date };

/**
 * Creates the subscription of an account in place of one that has ended, and the account unless it exists, in one
 * transaction. False, and nothing is written, if the subscription is already stored or the account has another one.
 */
export async function insertSubscriber(
  client: Database,
  { accountId, state, mailboxHash, now }: NewSubscriber,
): Promise<boolean> {
  return unlessStale(client, false, async (transaction) => {
    const account = { id: accountId, label: null, tier: tierAt(state, now), mailboxHash };
    await transaction.account.createMany({ data: account, skipDuplicates: true });
    await lockAccount(transaction, accountId);
    const previous = await transaction.subscription.findUnique({ where: { accountId } });
    if (previous && hasSubscriptionEnded(previous, now))
      await transaction.subscription.delete({ where: { id: previous.id }, select: { id: true } });
    const row = { ...state, accountId, createdAt: now, updatedAt: now };
    const { count } = await transaction.subscription.createMany({ data: row, skipDuplicates: true });
    if (count === 0) throw new StaleStateError();
    return true;
  });
}

type Replacement = {
  next: SubscriptionState;
  tier: AccountTier;
  mailboxHash: string | null;
  now: Date;
  event: PaymentEvent | undefined;
  ids: Ids;
};

/** Most vendors that one transaction pauses or resumes; `settleVendors` does the others. */
const maxVendorCount = 1_000;

/**
 * Replaces the subscription state that was read as `stored`, sets the account's tier and mailbox, pauses or resumes its
 * vendors, and records the event, in one transaction. Returns the account's tier, which may be a higher one that an operator
 * assigned; null, and nothing is written, if the row has changed since it was read.
 */
export async function replaceSubscription(
  client: Database,
  stored: StoredSubscription,
  { next, tier, mailboxHash, now, event, ids }: Replacement,
): Promise<AccountTier | null> {
  const { id: subscriptionId, accountId } = stored;
  // Ensures a new version even if the clock has not advanced.
  const updatedAt = new Date(Math.max(now.getTime(), stored.updatedAt.getTime() + 1));
  return unlessStale<AccountTier | null>(client, null, async (transaction) => {
    if (!event || (await recordEvent(transaction, event, now))) {
      const { count } = await transaction.subscription.updateMany({
        where: { id: subscriptionId, updatedAt: stored.updatedAt },
        data: { ...next, updatedAt },
      });
      if (count === 0) throw new StaleStateError();
      const ofPayment = { id: accountId, tier: { in: [...tiersOfPayment] } };
      await transaction.account.updateMany({ where: ofPayment, data: { tier } });
      if (mailboxHash !== stored.account.mailboxHash)
        await transaction.account.updateMany({ where: { id: accountId }, data: { mailboxHash } });
      await settleOwnVendors(transaction, { accountIds: [accountId], limit: maxVendorCount, now, ids });
    }
    const account = await transaction.account.findUnique({ where: { id: accountId }, select: { tier: true } });
    return account?.tier ?? null;
  });
}

type TierChange = { accountId: string; tier: AccountTier; isForced: boolean; now: Date; ids: Ids };

/**
 * Sets the tier of an account and pauses or resumes its vendors. Returns the tier that its subscription says, and writes
 * nothing, if payments would replace the tier, or if it would outlive them and is not forced.
 */
export async function setTierOf(
  client: Database,
  { accountId, tier, isForced, now, ids }: TierChange,
): Promise<"set" | "unknown" | { subscribedTier: AccountTier }> {
  return client.$transaction(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) return "unknown";
    const subscription = await transaction.subscription.findUnique({ where: { accountId } });
    if (subscription && !endedStatuses.includes(subscription.status)) {
      const subscribedTier = tierAt(subscription, now);
      const isGrant = isForced && !isTierOfPayment(tier);
      if (tier !== subscribedTier && !isGrant) return { subscribedTier };
    }
    await transaction.account.update({ where: { id: accountId }, data: { tier }, select: { id: true } });
    await settleOwnVendors(transaction, { accountIds: [accountId], limit: maxVendorCount, now, ids });
    return "set";
  });
}

/**
 * Moves accounts to the free tier whose grace period after a failed payment is over or whose cancelled subscription has
 * ended, at most `limit`, and pauses their vendors; their keys stay valid. Returns how many accounts.
 */
export async function settleSubscriptions(
  { database: client, clock, ids }: Omit<Context, "log">,
  { limit }: { limit: number },
): Promise<number> {
  const now = clock.now();
  return client.$transaction(async (transaction) => {
    const ended = await transaction.$queryRaw<{ id: string }[]>`
      WITH ended AS (
        SELECT subscriptions.account_id FROM subscriptions JOIN accounts ON accounts.id = subscriptions.account_id
        WHERE accounts.tier IN ('starter', 'pro') AND subscriptions.status <> ALL(${endedStatuses}) AND (
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
