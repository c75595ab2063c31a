import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { deletePassed, endPassedTiers } from "./store";

/** Deletes events that were taken in and checkouts that were never paid, from before a moment; gives how many. */
export async function prunePurchases(
  { database }: { database: Database },
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return deletePassed(database, before, limit);
}

/**
 * Lets accounts fall to the free tier whose grace after a failed payment is over, or whose cancelled subscription has
 * come to its end, `limit` at most; their keys stay. Gives how many fell.
 */
export async function settleSubscriptions(
  { database, clock }: { database: Database; clock: Clock },
  { limit }: { limit: number },
): Promise<number> {
  return endPassedTiers(database, clock.now(), limit);
}
