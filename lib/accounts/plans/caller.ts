import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { type AccountTier, type Plan, plans } from "./plans";

type KeyIds = {
  keyId: string;
  accountId: string;
  /** Id under which the key's requests are counted; a rotated key keeps it. */
  limitId: string;
};
type NoKeyIds = { [Name in keyof KeyIds]: null };

/** The caller of a request, identified by its API key; anonymous on the free tier without one. */
export type Caller = { tier: AccountTier; plan: Plan } & (KeyIds | NoKeyIds);

/** The caller of a request without an API key. */
export const anonymousCaller: Caller = { tier: "free", plan: plans.free, keyId: null, accountId: null, limitId: null };

/** What verbs are given of a request that can have a key. */
export type CallContext = { caller: Caller; clock: Clock; database: Database };
