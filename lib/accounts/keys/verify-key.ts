import { type AccountTier, type Plan, plans } from "#lib/accounts/plans/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { hashKey, isWellFormedKey } from "./format";
import { type KeyState, keyState } from "./key-state";
import { findKey } from "./store";

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

const bearer = /^bearer +(\S+)$/i;

const refusals: Record<Exclude<KeyState, "valid" | "grace">, string> = {
  rotated: "This API key was rotated. Use the key that replaced it.",
  expired: "This API key has expired. Ask for a new one.",
  revoked: "This API key was revoked.",
};

function wellFormedKey(authorization: string): string {
  const key = bearer.exec(authorization.trim())?.[1];
  if (key === undefined) {
    throw new AppError("unauthorized", "The Authorization header is not understood. Send: Bearer <your API key>.");
  }
  if (!isWellFormedKey(key)) {
    throw new AppError("unauthorized", "This is no API key: it has a typo, or a part is missing. Copy it again.");
  }
  return key;
}

/**
 * Who a request's `Authorization` header says is calling; without the header it is the anonymous caller. A malformed
 * key is refused without asking the database. Throws AppError unauthorized where the key does not work.
 */
export async function verifyKey(
  context: { database: Database; clock: Clock },
  authorization: string | null,
): Promise<Caller> {
  if (authorization === null) return anonymousCaller;
  const key = wellFormedKey(authorization);
  const stored = await findKey(context.database, hashKey(key));
  if (!stored) throw new AppError("unauthorized", "This API key is not known here.");
  const state = keyState(stored, context.clock.now());
  if (state !== "valid" && state !== "grace") throw new AppError("unauthorized", refusals[state]);
  const { id: keyId, accountId, limitId } = stored;
  const { tier } = stored.account;
  return { tier, plan: plans[tier], keyId, accountId, limitId };
}
