import { randomUUID } from "node:crypto";
import type { Caller } from "#lib/accounts/keys/index";
import { type AccountTier, plans } from "#lib/accounts/plans/index";

/** Somebody with a key of a tier; of an account of its own unless one is given. */
export function callerOf(tier: AccountTier, accountId: string = randomUUID()): Caller {
  return { tier, plan: plans[tier], keyId: randomUUID(), limitId: randomUUID(), accountId };
}
