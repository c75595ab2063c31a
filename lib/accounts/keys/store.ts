import type { AccountTier } from "#lib/accounts/plans/index";
import { type Database, queryDirectly, type Transaction } from "#lib/platform/database/index";
import { mergeCalls } from "#lib/platform/merge-calls";
import { perObject } from "#lib/platform/per-object";
import type { ApiKey, Prisma } from "#prisma/generated/client";

export type NewKey = Omit<ApiKey, "accountId" | "rotatedAt" | "revokedAt" | "usedOn">;

const fields = { omit: { hash: true }, include: { account: { select: { tier: true, label: true } } } } as const;

/** A stored key, with the tier of its account. */
export type StoredKey = Prisma.ApiKeyGetPayload<typeof fields>;

/** Returns the filter for keys that work at a time, also in a grace period. */
export const worksAt = (now: Date) => ({ revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });

/** What a request needs to know of its key. */
export type KnownKey = Pick<
  StoredKey,
  "id" | "accountId" | "limitId" | "expiresAt" | "rotatedAt" | "revokedAt" | "usedOn"
> &
  Pick<StoredKey["account"], "tier">;

/** Concurrent lookups of a key are merged, so that a client's burst of requests leaves connections to the others. */
const mergerOf = perObject((_client: Database) => mergeCalls<KnownKey | null>());

/** Returns a key by its hash. */
export async function findKey(client: Database, hash: string): Promise<KnownKey | null> {
  const { result } = await mergerOf(client)(hash, () => selectKey(client, hash));
  return result;
}

/** A single statement without Prisma, because it runs on every request with a key. */
async function selectKey(client: Database, hash: string): Promise<KnownKey | null> {
  const text = `
    SELECT k.id, k.account_id AS "accountId", k.limit_id AS "limitId", k.expires_at AS "expiresAt",
      k.rotated_at AS "rotatedAt", k.revoked_at AS "revokedAt", k.used_on::timestamp AT TIME ZONE 'UTC' AS "usedOn", a.tier
    FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = $1`;
  const [row] = (await queryDirectly(client, { text, values: [hash] })) as KnownKey[];
  return row ?? null;
}

/** Stores an account and its first key in one transaction. */
export async function insertAccount(
  client: Database,
  account: { id: string; label: string | null; tier: AccountTier },
  key: NewKey,
): Promise<StoredKey> {
  const [, stored] = await client.$transaction([
    client.account.create({ data: account }),
    client.apiKey.create({ data: { ...key, accountId: account.id }, ...fields }),
  ]);
  return stored;
}

/** Stores another key of an account; null if the account does not exist. */
export async function insertKey(
  client: Database | Transaction,
  accountId: string,
  key: NewKey,
): Promise<StoredKey | null> {
  const account = await client.account.findUnique({ where: { id: accountId }, select: { id: true } });
  return account && client.apiKey.create({ data: { ...key, accountId }, ...fields });
}

/**
 * Stores another key of an account, unless it has `maxCount` keys that work or one with this name; then returns which. The
 * account's row is locked, so that two concurrent calls count each other.
 */
export async function insertNamedKey(
  client: Database,
  { accountId, key, maxCount }: { accountId: string; key: NewKey; maxCount: number },
): Promise<StoredKey | "many" | "named"> {
  return client.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM accounts WHERE id = ${accountId}::uuid FOR UPDATE`;
    const where = { accountId, ...worksAt(key.createdAt) };
    const working = await transaction.apiKey.findMany({ where, select: { name: true } });
    if (working.some(({ name }) => name === key.name)) return "named";
    if (working.length >= maxCount) return "many";
    return transaction.apiKey.create({ data: { ...key, accountId }, ...fields });
  });
}

/** A key and the id of the count that it shares. */
type Chain = { limitId: string; keyId: string };

/**
 * Ends the grace periods of the keys that a key replaced; returns how many. A chain of rotations has one count and one
 * name. Those are all others of the chain for its last key, which has not been rotated. For one in its grace period it
 * is those with lower ids, which sort by time.
 */
export async function endGrace(
  client: Database | Transaction,
  { limitId, keyId }: Chain,
  now: Date,
  { isLast = false }: { isLast?: boolean } = {},
): Promise<number> {
  return client.$executeRaw`
    UPDATE api_keys SET expires_at = rotated_at
    WHERE limit_id = ${limitId}::uuid AND id <> ${keyId}::uuid AND rotated_at IS NOT NULL AND expires_at > ${now}
      AND revoked_at IS NULL AND name IS NOT DISTINCT FROM (SELECT own.name FROM api_keys own WHERE own.id = ${keyId}::uuid)
      AND (id < ${keyId}::uuid OR ${isLast}
        OR EXISTS (SELECT 1 FROM api_keys last WHERE last.id = ${keyId}::uuid AND last.rotated_at IS NULL))`;
}

/** Returns the keys that `endGrace` would end at `now`, newest first. */
export async function findGraceKeys(
  client: Database,
  { limitId, keyId, name, isLast }: Chain & { name: string | null; isLast: boolean },
  { now, limit }: { now: Date; limit: number },
): Promise<StoredKey[]> {
  const inGrace = { rotatedAt: { not: null }, revokedAt: null, expiresAt: { gt: now } };
  const where = { limitId, name, id: isLast ? { not: keyId } : { lt: keyId }, ...inGrace };
  return client.apiKey.findMany({ where, ...fields, orderBy: { id: "desc" }, take: limit });
}

type Replacement = {
  rotatedAt: Date;
  /** Returns when a key stops working after its rotation, given its own expiry (null: never). */
  endOf: (expiresAt: Date | null) => Date;
  /** The new key, which inherits the limit, the name and the expiry of the old one. */
  key: Omit<NewKey, "limitId" | "name" | "expiresAt">;
};

/**
 * Replaces a valid key with a new one in one transaction. If it stops working at once, so do the keys that it replaced:
 * otherwise one that leaked would keep working for the rest of its grace period. Null if the key is no longer valid or
 * was already rotated: of two concurrent calls, the second one waits for the row lock and then finds the key rotated.
 */
export async function replaceKey(
  client: Database,
  keyId: string,
  { rotatedAt, endOf, key }: Replacement,
): Promise<{ old: StoredKey; replacement: StoredKey } | null> {
  return client.$transaction(async (transaction) => {
    const found = await transaction.apiKey.findUnique({ where: { id: keyId }, ...fields });
    if (!found) return null;
    const { accountId, limitId, name, expiresAt } = found;
    const isUsable = { rotatedAt: null, ...worksAt(rotatedAt) };
    const ended = { rotatedAt, expiresAt: endOf(expiresAt) };
    const { count } = await transaction.apiKey.updateMany({ where: { id: keyId, ...isUsable }, data: ended });
    if (count === 0) return null;
    if (ended.expiresAt <= rotatedAt) {
      await endGrace(transaction, { limitId, keyId }, rotatedAt, { isLast: true });
    }
    const data = { ...key, accountId, limitId, name, expiresAt };
    return { old: { ...found, ...ended }, replacement: await transaction.apiKey.create({ data, ...fields }) };
  });
}

/** Returns keys, newest first: all, or those with an id, of an account or with the given last four characters. */
export async function findKeys(
  client: Database,
  where: { id?: string; accountId?: string; lastFour?: string },
  limit: number,
): Promise<StoredKey[]> {
  return client.apiKey.findMany({ where, ...fields, orderBy: { id: "desc" }, take: limit });
}

/** Returns the subscription of an account; null if it has none. */
export async function findAccountSubscription(client: Database, accountId: string) {
  const select = { status: true, cancelAtPeriodEnd: true, currentPeriodEnd: true, graceUntil: true };
  return client.subscription.findUnique({ where: { accountId }, select });
}

/** Returns the keys of an account that work at a time, newest first. */
export async function findWorkingKeys(
  client: Database,
  { accountId, now, limit }: { accountId: string; now: Date; limit: number },
): Promise<StoredKey[]> {
  const where = { accountId, ...worksAt(now) };
  return client.apiKey.findMany({ where, ...fields, orderBy: { id: "desc" }, take: limit });
}

/** Revokes a key of an account that works at a time; false if there is none with this id. */
export async function endKeyOf(
  client: Database,
  { accountId, id, now }: { accountId: string; id: string; now: Date },
): Promise<boolean> {
  const where = { id, accountId, ...worksAt(now) };
  const { count } = await client.apiKey.updateMany({ where, data: { revokedAt: now } });
  return count === 1;
}

/** Stores the day of a key's latest request, which never goes back. */
export async function markUsed(client: Database, id: string, day: Date): Promise<void> {
  await client.$executeRaw`
    UPDATE api_keys SET used_on = ${day}::date WHERE id = ${id}::uuid AND (used_on IS NULL OR used_on < ${day}::date)`;
}

/** Marks a key as revoked; an already revoked key keeps its time. */
export async function markRevoked(client: Database, id: string, revokedAt: Date): Promise<void> {
  await client.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt } });
}
