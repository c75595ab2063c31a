import type { AccountTier } from "#lib/accounts/plans/index";
import type { Context } from "#lib/platform/context";
import { AppError } from "#lib/platform/errors";
import { setTierOf } from "./store-subscriptions";

/**
 * Sets the tier of an account for an operator, and pauses or resumes its own vendors, in one transaction. An account with a
 * subscription can get the tier that it pays for, which takes a granted one back, or with `isForced` one above those that are
 * sold. Throws AppError not_found, and conflict for others.
 */
export async function setTier(
  { database, clock, ids }: Omit<Context, "log">,
  { accountId, tier, isForced = false }: { accountId: string; tier: AccountTier; isForced?: boolean | undefined },
): Promise<void> {
  const outcome = await setTierOf(database, { accountId, tier, isForced, now: clock.now(), ids });
  if (outcome === "unknown") throw new AppError("not_found", `There is no account ${accountId}.`);
  if (outcome === "set") return;
  const message = `The account has a subscription, which sets its tier: ${outcome.subscribedTier}. Change it at the payment provider. To grant a tier above those that are sold, which stays when the subscription ends, pass --force; to take that back, set the tier ${outcome.subscribedTier}.`;
  throw new AppError("conflict", message);
}
