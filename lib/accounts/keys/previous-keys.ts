import { contractTier } from "#lib/accounts/plans/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { GraceEnd, KeyDetail } from "./schemas";
import { endGrace, findGraceKeys, findNamedKeys } from "./store";
import type { Caller } from "./verify-key";

type KeyCallContext = { database: Database; clock: Clock; caller: Caller };

/** Most previous keys in a response. */
const maxPreviousCount = 100;

function requireKey({ keyId, limitId }: Caller): { keyId: string; limitId: string } {
  if (keyId === null) throw new AppError("unauthorized", "Send an API key.");
  return { keyId, limitId };
}

/** Returns the calling key with the keys that it replaced and that still work. Throws AppError unauthorized. */
export async function getKey({ database, clock, caller }: KeyCallContext): Promise<KeyDetail> {
  const chain = requireKey(caller);
  const [[key], previous] = await Promise.all([
    findNamedKeys(database, { id: chain.keyId }, 1),
    findGraceKeys(database, chain, { now: clock.now(), limit: maxPreviousCount }),
  ]);
  if (!key) throw new AppError("unauthorized", "This API key is unknown.");
  return {
    tier: contractTier(caller.tier),
    last_four: key.lastFour,
    created_at: key.createdAt.toISOString(),
    works_until: key.expiresAt?.toISOString() ?? null,
    previous_keys: previous.flatMap(({ lastFour, expiresAt }) =>
      expiresAt ? [{ last_four: lastFour, works_until: expiresAt.toISOString() }] : [],
    ),
  };
}

/** Ends the keys that the calling key replaced, with immediate effect. Throws AppError unauthorized. */
export async function endPreviousKeys({ database, clock, caller }: KeyCallContext): Promise<GraceEnd> {
  return { ended: await endGrace(database, requireKey(caller), clock.now()) };
}
