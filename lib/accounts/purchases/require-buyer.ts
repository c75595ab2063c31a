import { type Caller, reachesTier } from "#lib/accounts/plans/index";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { SoldTier } from "./payments";
import { hasSubscription } from "./store-upgrades";

/**
 * Returns the account that buys a tier, that of the calling key; null without one, which buys a new account. Throws AppError
 * conflict for an account that has a subscription or the tier.
 */
export async function requireBuyer(
  { database, caller }: { database: Database; caller: Caller },
  { tier, now }: { tier: SoldTier; now: Date },
): Promise<string | null> {
  const { accountId } = caller;
  if (accountId === null) return null;
  if (await hasSubscription(database, accountId, now)) {
    const message = "Your account has a subscription. Change it in the payment portal: POST /api/v1/payment/portal.";
    throw new AppError("conflict", message);
  }
  if (reachesTier(caller.tier, tier))
    throw new AppError("conflict", `Your account has the tier ${caller.tier}, which the operator assigned.`);
  return accountId;
}
