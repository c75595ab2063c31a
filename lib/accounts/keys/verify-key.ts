import { anonymousCaller, type Caller, plans } from "#lib/accounts/plans/index";
import type { Context } from "#lib/platform/context";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { dayMs } from "#lib/platform/time";
import { hashKey, isWellFormedKey } from "./create-key";
import { findKey, type KnownKey, markUsed } from "./store";

/** State of a key. `grace`: rotated but still accepted for a while. Only `valid` and `grace` keys are accepted. */
export type KeyState = "valid" | "grace" | "rotated" | "expired" | "revoked";

/** Returns the state of a key at a point in time. */
export function keyState(
  { expiresAt, rotatedAt, revokedAt }: Pick<KnownKey, "expiresAt" | "rotatedAt" | "revokedAt">,
  now: Date,
): KeyState {
  if (revokedAt) return "revoked";
  const isOver = expiresAt !== null && expiresAt <= now;
  if (!rotatedAt) return isOver ? "expired" : "valid";
  // Compared with the time of rotation, not with `now`: without grace, clock differences must not keep the key valid.
  const hasGrace = expiresAt === null || expiresAt > rotatedAt;
  return hasGrace && !isOver ? "grace" : "rotated";
}

const bearer = /^bearer +(\S+)$/i;

const refusals: Record<Exclude<KeyState, "valid" | "grace">, string> = {
  rotated: "This API key was rotated. Use the key that replaced it.",
  expired: "This API key has expired. Request a new one.",
  revoked: "This API key was revoked.",
};

function wellFormedKey(authorization: string): string {
  const key = bearer.exec(authorization.trim())?.[1];
  if (key === undefined) {
    throw new AppError("unauthorized", "The Authorization header is malformed. Send: Bearer <your API key>.");
  }
  if (!isWellFormedKey(key)) {
    throw new AppError("unauthorized", "This is not a valid API key: it has a typo or is incomplete. Copy it again.");
  }
  return key;
}

/** Stores that a key was used, once a day. A failure is left to the next request: it must not refuse this one. */
async function noteUse(database: Database, { id, usedOn }: KnownKey, now: Date): Promise<void> {
  const day = new Date(Math.floor(now.getTime() / dayMs) * dayMs);
  if (usedOn === null || usedOn < day) await markUsed(database, id, day).catch(() => undefined);
}

/**
 * Returns the caller identified by an `Authorization` header; the anonymous caller without one. A malformed key is
 * rejected without a database query. Throws AppError unauthorized if the key is not valid.
 */
export async function verifyKey(
  context: Pick<Context, "database" | "clock">,
  authorization: string | null,
): Promise<Caller> {
  if (authorization === null) return anonymousCaller;
  const key = wellFormedKey(authorization);
  const stored = await findKey(context.database, hashKey(key));
  if (!stored) throw new AppError("unauthorized", "This API key is unknown.");
  const now = context.clock.now();
  const state = keyState(stored, now);
  if (state !== "valid" && state !== "grace") throw new AppError("unauthorized", refusals[state]);
  await noteUse(context.database, stored, now);
  const { id: keyId, accountId, limitId, tier } = stored;
  return { tier, plan: plans[tier], keyId, accountId, limitId };
}
