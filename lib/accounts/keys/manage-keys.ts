import { type CallContext, type Caller, contractTier, hasSubscriptionEnded } from "#lib/accounts/plans/index";
import { AppError } from "#lib/platform/errors";
import { dayMs } from "#lib/platform/time";
import { type KeyContext, newKey } from "./create-key";
import type { AccountKeys, GraceEnd, KeyAddition, KeyDetail, KeyEnd, KeyRotation, NewKeyInput } from "./schemas";
import {
  endGrace,
  endKeyOf,
  findAccountSubscription,
  findGraceKeys,
  findKeys,
  findWorkingKeys,
  insertNamedKey,
  markRevoked,
  replaceKey,
  type StoredKey,
} from "./store";
import { type KeyState, keyState } from "./verify-key";

/** Most keys of an account in a response. */
const maxShownCount = 100;

function requireKey({ keyId, accountId, limitId }: Caller) {
  if (keyId === null) throw new AppError("unauthorized", "Send an API key.");
  return { keyId, accountId, limitId };
}

function describeSubscription(
  subscription: Awaited<ReturnType<typeof findAccountSubscription>>,
  now: Date,
): KeyDetail["subscription"] {
  if (!subscription || hasSubscriptionEnded(subscription, now)) return null;
  const { status, cancelAtPeriodEnd, currentPeriodEnd, graceUntil } = subscription;
  const end = currentPeriodEnd?.toISOString() ?? null;
  return {
    status,
    renews_at: cancelAtPeriodEnd ? null : end,
    ends_at: cancelAtPeriodEnd ? end : null,
    grace_until: graceUntil?.toISOString() ?? null,
  };
}

/** Returns the calling key with the keys that it replaced and that still work. Throws AppError unauthorized. */
export async function getKey({ database, clock, caller }: CallContext): Promise<KeyDetail> {
  const chain = requireKey(caller);
  const [key] = await findKeys(database, { id: chain.keyId }, 1);
  if (!key) throw new AppError("unauthorized", "This API key is unknown.");
  const position = { ...chain, name: key.name, isLast: key.rotatedAt === null };
  const now = clock.now();
  const previous = await findGraceKeys(database, position, { now, limit: maxShownCount });
  return {
    tier: contractTier(caller.tier),
    plan: caller.tier,
    subscription: describeSubscription(await findAccountSubscription(database, key.accountId), now),
    last_four: key.lastFour,
    created_at: key.createdAt.toISOString(),
    works_until: key.expiresAt?.toISOString() ?? null,
    previous_keys: previous.flatMap(({ lastFour, expiresAt }) =>
      expiresAt ? [{ last_four: lastFour, works_until: expiresAt.toISOString() }] : [],
    ),
  };
}

/** Ends the keys that the calling key replaced, with immediate effect. Throws AppError unauthorized. */
export async function endPreviousKeys({ database, clock, caller }: CallContext): Promise<GraceEnd> {
  return { ended: await endGrace(database, requireKey(caller), clock.now()) };
}

/** Returns the keys of the calling key's account that work, newest first. Throws AppError unauthorized. */
export async function listAccountKeys({ database, clock, caller }: CallContext): Promise<AccountKeys> {
  const { keyId, accountId } = requireKey(caller);
  const keys = await findWorkingKeys(database, { accountId, now: clock.now(), limit: maxShownCount });
  return {
    keys: keys.map(({ id, name, lastFour, createdAt, expiresAt, usedOn }) => ({
      id,
      name,
      last_four: lastFour,
      created_at: createdAt.toISOString(),
      works_until: expiresAt?.toISOString() ?? null,
      used_on: usedOn?.toISOString().slice(0, 10) ?? null,
      is_calling: id === keyId,
    })),
  };
}

/** Most keys of an account that work, if it creates them itself. */
const maxKeyCount = 20;

/**
 * Creates another key for the calling key's account, with its request count and webhooks. It expires with the calling
 * key at the latest. Throws AppError unauthorized, and conflict for a name that is taken, too many keys, or a calling
 * key that was rotated.
 */
export async function addKey(
  context: KeyContext & { caller: Caller },
  { body: { name, expires_in_days: days } }: { body: NewKeyInput },
): Promise<KeyAddition> {
  const { database, clock } = context;
  const { keyId, accountId, limitId } = requireKey(context.caller);
  const [calling] = await findKeys(database, { id: keyId }, 1);
  if (!calling || calling.rotatedAt) throw new AppError("conflict", "This API key was rotated. Use its replacement.");
  const ends = [calling.expiresAt?.getTime(), days && clock.now().getTime() + days * dayMs].filter(
    (at) => at !== undefined,
  );
  const { key, row } = newKey(context, ends.length > 0 ? new Date(Math.min(...ends)) : null);
  const stored = await insertNamedKey(database, { accountId, key: { ...row, limitId, name }, maxCount: maxKeyCount });
  if (stored === "named")
    throw new AppError("conflict", `Your account has a key “${name}”. Give another name, or end that one.`);
  if (stored === "many")
    throw new AppError("conflict", `Your account has ${maxKeyCount} keys that work. End one first.`);
  return {
    new_key: key,
    id: stored.id,
    name,
    works_until: stored.expiresAt?.toISOString() ?? null,
    note: "Store the key now: it is not shown again.",
  };
}

/**
 * Ends another key of the calling key's account, with immediate effect. Throws AppError unauthorized, not_found, and conflict
 * for the calling key.
 */
export async function endKey(
  { database, clock, caller }: CallContext,
  { params }: { params: { id: string } },
): Promise<KeyEnd> {
  const { keyId, accountId } = requireKey(caller);
  const id = params.id.toLowerCase();
  if (id === keyId)
    throw new AppError("conflict", "This is the key that sends the request. POST /api/v1/keys/rotate replaces it.");
  if (await endKeyOf(database, { accountId, id, now: clock.now() })) return { ended: true, id };
  throw new AppError("not_found", `Your account has no working key ${id}. GET /api/v1/keys/account lists its keys.`);
}

/** Most keys in a list. */
const maxListedCount = 1_000;

export type ListedKey = StoredKey & { state: KeyState };

/** Returns all keys, or those of one account, newest first, at most 1,000. */
export async function listKeys(
  { database, clock }: Omit<CallContext, "caller">,
  { accountId }: { accountId?: string } = {},
): Promise<ListedKey[]> {
  const now = clock.now();
  const keys = await findKeys(database, accountId === undefined ? {} : { accountId }, maxListedCount);
  return keys.map((key) => ({ ...key, state: keyState(key, now) }));
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const lastFourPattern = /^[0-9A-Za-z]{4}$/;
/** Most keys listed in the error for an ambiguous name. */
const maxNamedCount = 20;

function parseName(text: string): { id: string } | { lastFour: string } {
  if (idPattern.test(text)) return { id: text.toLowerCase() };
  if (lastFourPattern.test(text)) return { lastFour: text };
  throw new AppError("bad_request", "Give the id of a key or its last four characters.");
}

/**
 * Revokes a key, given by its id or its last four characters, with immediate effect; revoking it again has no effect.
 * Throws AppError not_found, and conflict if several keys have the same last four characters.
 */
export async function revokeKey(
  { database, clock }: Omit<CallContext, "caller">,
  { name }: { name: string },
): Promise<StoredKey> {
  const [found, ...others] = await findKeys(database, parseName(name), maxNamedCount);
  if (!found) throw new AppError("not_found", `There is no key ${name}.`);
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(", ");
    throw new AppError("conflict", `Several keys end in ${name}. Give the id of one: ${ids}.`);
  }
  const revokedAt = found.revokedAt ?? clock.now();
  await markRevoked(database, found.id, revokedAt);
  return { ...found, revokedAt };
}

/** How long a key remains valid after a rotation with grace. */
const graceMs = dayMs;

function describeGrace({ expiresAt, rotatedAt }: StoredKey): string {
  const isWhole = Number(expiresAt) - Number(rotatedAt) === graceMs;
  return isWhole ? "24 hours" : `until ${expiresAt?.toISOString()}, when the old key expires`;
}

/**
 * Replaces the calling key with a new one. The old key stops working immediately, or with grace after 24 hours but not
 * after its own expiry. Both share one limit. Throws AppError unauthorized for a caller without a key, and for a key that
 * was already rotated.
 */
export async function rotateKey(
  context: KeyContext & { caller: Caller },
  { query: { grace } }: { query: { grace?: "true" | undefined } },
): Promise<KeyRotation> {
  const { keyId } = context.caller;
  if (keyId === null) throw new AppError("unauthorized", "Send the API key to rotate.");
  const rotatedAt = context.clock.now();
  const graceEnd = new Date(rotatedAt.getTime() + graceMs);
  const endOf = (expiresAt: Date | null) => {
    if (!grace) return rotatedAt;
    return expiresAt && expiresAt < graceEnd ? expiresAt : graceEnd;
  };
  const { key, row } = newKey(context, null);
  const { limitId: _ownLimit, name: _noName, expiresAt: _ownExpiry, ...inherits } = row;
  const replaced = await replaceKey(context.database, keyId, { rotatedAt, endOf, key: inherits });
  if (!replaced) throw new AppError("unauthorized", "This API key was already rotated. Use the key that replaced it.");
  const until = replaced.old.expiresAt?.toISOString();
  return {
    new_key: key,
    rotated_at: rotatedAt.toISOString(),
    note: `Store the new key now: it is not shown again. The old key ${grace ? `works until ${until}` : "has stopped working"}.`,
    ...(grace ? { grace_period: describeGrace(replaced.old) } : {}),
  };
}
