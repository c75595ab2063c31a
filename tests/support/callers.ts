import { randomUUID } from "node:crypto";
import type { Caller } from "#lib/accounts/keys/index";
import { type AccountTier, plans } from "#lib/accounts/plans/index";

/** Returns a caller with a key of this tier, in a new account unless one is given. */
export function callerOf(tier: AccountTier, accountId: string = randomUUID()): Caller {
  return { tier, plan: plans[tier], keyId: randomUUID(), limitId: randomUUID(), accountId };
}
