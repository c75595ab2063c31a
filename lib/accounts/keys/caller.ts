import { type AccountTier, type Plan, plans } from "#lib/accounts/plans/index";

type KeyIds = {
  keyId: string;
  accountId: string;
  /** What the key's requests are counted on; the same for every key that a rotation replaced it with. */
  limitId: string;
};
type NoKeyIds = { [Name in keyof KeyIds]: null };

/** Who asks, as the key of the request says; without a key it is nobody in particular, on the free tier. */
export type Caller = { tier: AccountTier; plan: Plan } & (KeyIds | NoKeyIds);

/** A caller without a key. */
export const anonymousCaller: Caller = {
  tier: "free",
  plan: plans.free,
  keyId: null,
  accountId: null,
  limitId: null,
};
