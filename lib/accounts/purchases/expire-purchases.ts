import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { deleteOldPayments, endExpiredTiers } from "./store";

/** Deletes payment events and unpaid checkouts older than `before`, at most `limit` of each; returns how many. */
export async function prunePurchases(
  { database }: { database: Database },
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return deleteOldPayments(database, before, limit);
}

/**
 * Moves accounts to the free tier whose grace period after a failed payment is over or whose cancelled subscription has
 * ended, at most `limit`; their keys stay valid. Returns how many.
 */
export async function settleSubscriptions(
  { database, clock }: { database: Database; clock: Clock },
  { limit }: { limit: number },
): Promise<number> {
  return endExpiredTiers(database, clock.now(), limit);
}
