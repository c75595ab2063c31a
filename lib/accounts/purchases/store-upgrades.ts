import { hasSubscriptionEnded } from "#lib/accounts/plans/index";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { SoldTier } from "./payments";
import { settleOwnVendors } from "./store-vendors";
import type { SubscriptionState } from "./subscription-state";

/** Returns whether an account has a subscription that has not ended. */
export async function hasSubscription(client: Database, accountId: string, now: Date): Promise<boolean> {
  const subscription = await client.subscription.findUnique({ where: { accountId } });
  return subscription !== null && !hasSubscriptionEnded(subscription, now);
}

/** Locks an account until the transaction ends, so that others do not give it a subscription. Returns whether it exists. */
export async function lockAccount(transaction: Transaction, accountId: string): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT id FROM accounts WHERE id = ${accountId}::uuid FOR NO KEY UPDATE`;
  return rows.length > 0;
}

type Upgrade = {
  accountId: string;
  subscription: SubscriptionState;
  tier: SoldTier | "free";
  /** Hash of the buyer's mailbox, which is stored if the account has none. */
  mailboxHash: string | null;
  now: Date;
  ids: Ids;
};

/** Most vendors that are resumed at once; `settleVendors` does the others. */
const maxVendorCount = 1_000;

/**
 * Gives an account a subscription in place of one that has ended, and its tier, unless an operator assigned a higher one.
 * False, and nothing is written, if the account is gone or has another subscription.
 */
export async function upgradeAccount(
  transaction: Transaction,
  { accountId, subscription, tier, mailboxHash, now, ids }: Upgrade,
): Promise<boolean> {
  if (!(await lockAccount(transaction, accountId))) return false;
  const previous = await transaction.subscription.findUnique({ where: { accountId } });
  if (previous && previous.id !== subscription.id && !hasSubscriptionEnded(previous, now)) return false;
  // One that an event has already stored may be newer.
  if (previous?.id !== subscription.id) {
    await transaction.subscription.deleteMany({ where: { accountId } });
    const row = { ...subscription, accountId, createdAt: now, updatedAt: now };
    await transaction.subscription.create({ data: row, select: { id: true } });
    const isOfPayment = { tier: { in: ["free" as const, "starter" as const, "pro" as const] } };
    await transaction.account.updateMany({ where: { id: accountId, ...isOfPayment }, data: { tier } });
    await settleOwnVendors(transaction, { accountIds: [accountId], limit: maxVendorCount, now, ids });
  }
  await transaction.account.updateMany({ where: { id: accountId, mailboxHash: null }, data: { mailboxHash } });
  return true;
}
