import type { AccountTier } from "#lib/accounts/plans/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import { setTierOf } from "./store";

type Context = { database: Database; clock: Clock; ids: Ids };

/**
 * Sets the tier of an account for an operator, and pauses or resumes its own vendors, in one transaction. Throws AppError
 * not_found, and conflict for a tier that the account's subscription would replace.
 */
export async function setTier(
  { database, clock, ids }: Context,
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
