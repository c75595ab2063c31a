import type { AccountTier } from "#lib/accounts/plans/index";
import type { Context } from "#lib/platform/context";
import { AppError } from "#lib/platform/errors";
import { setTierOf } from "./store";

/**
 * Sets the tier of an account for an operator, and pauses or resumes its own vendors, in one transaction. Throws AppError
 * not_found, and conflict for a tier that the account's subscription would replace.
 */
export async function setTier(
  { database, clock, ids }: Omit<Context, "log">,
  { accountId, tier }: { accountId: string; tier: AccountTier },
): Promise<void> {
  const outcome = await setTierOf(database, { accountId, tier, now: clock.now(), ids });
  if (outcome === "unknown") throw new AppError("not_found", `There is no account ${accountId}.`);
  if (outcome === "subscribed")
    throw new AppError(
      "conflict",
      "The account has a subscription, which sets this tier. Change it at the payment provider.",
    );
}
