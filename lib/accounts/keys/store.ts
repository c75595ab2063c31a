import type { AccountTier } from "#lib/accounts/plans/index";
import type { Database, Transaction } from "#lib/platform/database/index";

/** A key as it is stored, with the tier of its account. */
export type StoredKey = {
  id: string;
  accountId: string;
  limitId: string;
  lastFour: string;
  createdAt: Date;
  expiresAt: Date | null;
  rotatedAt: Date | null;
  revokedAt: Date | null;
  account: { tier: AccountTier; label: string | null };
};

export type NewKey = {
  id: string;
  limitId: string;
  hash: string;
  lastFour: string;
  createdAt: Date;
  expiresAt: Date | null;
};

const columns = {
  id: true,
  accountId: true,
  limitId: true,
  lastFour: true,
  createdAt: true,
  expiresAt: true,
  rotatedAt: true,
  revokedAt: true,
  account: { select: { tier: true, label: true } },
} as const;

type KeyRow = Omit<StoredKey, "account"> & StoredKey["account"];

/** A key by its hash. One plain statement, for every request with a key asks it. */
export async function findKey(client: Database, hash: string): Promise<StoredKey | null> {
  const [row] = await client.$queryRaw<KeyRow[]>`
    SELECT k.id, k.account_id AS "accountId", k.limit_id AS "limitId", k.last_four AS "lastFour",
      k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.rotated_at AS "rotatedAt",
      k.revoked_at AS "revokedAt", a.tier, a.label
    FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = ${hash}`;
  if (!row) return null;
  const { tier, label, ...key } = row;
  return { ...key, account: { tier, label } };
}

/** Stores an account with its first key, both or neither. */
export async function insertAccount(
  client: Database,
  account: { id: string; label: string | null; tier: AccountTier },
  key: NewKey,
): Promise<StoredKey> {
  const [, stored] = await client.$transaction([
    client.account.create({ data: account }),
    client.apiKey.create({ data: { ...key, accountId: account.id }, select: columns }),
  ]);
  return stored;
}

/** Stores a further key of an account; null where there is no such account. */
export async function insertKey(
  client: Database | Transaction,
  accountId: string,
  key: NewKey,
): Promise<StoredKey | null> {
  const account = await client.account.findUnique({ where: { id: accountId }, select: { id: true } });
  return account && client.apiKey.create({ data: { ...key, accountId }, select: columns });
}

type Replacement = {
  rotatedAt: Date;
  /** When a key that expires at the given time (null: never) stops working after its rotation. */
  endOf: (expiresAt: Date | null) => Date;
  /** The new key, which takes over the limit and the expiry of the old one. */
  key: Omit<NewKey, "limitId" | "expiresAt">;
};

/**
 * Puts a new key in the place of a working one, in one transaction. Null where the key does not work any more or was
 * rotated before: of two at once the second waits for the first one's row, and then finds it rotated.
 */
export async function replaceKey(
  client: Database,
  keyId: string,
  { rotatedAt, endOf, key }: Replacement,
): Promise<{ old: StoredKey; replacement: StoredKey } | null> {
  return client.$transaction(async (transaction) => {
    const found = await transaction.apiKey.findUnique({ where: { id: keyId }, select: columns });
    if (!found) return null;
    const { accountId, limitId, expiresAt } = found;
    const isUsable = { rotatedAt: null, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: rotatedAt } }] };
    const ended = { rotatedAt, expiresAt: endOf(expiresAt) };
    const { count } = await transaction.apiKey.updateMany({ where: { id: keyId, ...isUsable }, data: ended });
    if (count === 0) return null;
    const data = { ...key, accountId, limitId, expiresAt };
    return { old: { ...found, ...ended }, replacement: await transaction.apiKey.create({ data, select: columns }) };
  });
}

/** Keys by creation, the newest first; those of one account where it is given. */
export async function findKeys(
  client: Database,
  { accountId, limit }: { accountId?: string; limit: number },
): Promise<StoredKey[]> {
  return client.apiKey.findMany({ where: { accountId }, select: columns, orderBy: { id: "desc" }, take: limit });
}

/** Keys that an id or the last four characters name. */
export async function findNamedKeys(
  client: Database,
  name: { id: string } | { lastFour: string },
  limit: number,
): Promise<StoredKey[]> {
  return client.apiKey.findMany({ where: name, select: columns, orderBy: { id: "desc" }, take: limit });
}

/** Marks a key as revoked; one that is so already keeps its time. */
export async function markRevoked(client: Database, id: string, revokedAt: Date): Promise<void> {
  await client.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt } });
}
