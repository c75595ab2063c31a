import type { AccountTier } from "#lib/accounts/plans/index";
import type { Clock } from "#lib/platform/clock";
import type { Database, Transaction } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import { generateKey, hashKey } from "./format";
import { insertAccount, insertKey, type NewKey, type StoredKey } from "./store";

export type KeyContext = { database: Database; clock: Clock; ids: Ids };

/** A key with its plain text, which nothing keeps. */
export type IssuedKey = { key: string; stored: StoredKey };

type CreateKeyInput = {
  /** Null: it does not expire. */
  expiresAt?: Date | null;
} & (
  | { tier: AccountTier; label?: string | null }
  /** An account that is there, whose tier the key has. */
  | { accountId: string }
);

/** What is stored of a new key; its requests are counted on itself until a rotation hands that on. */
export function newKey(
  { clock, ids }: Omit<KeyContext, "database">,
  expiresAt: Date | null,
): { key: string; row: NewKey } {
  const key = generateKey();
  const id = ids.next();
  const row = { id, limitId: id, hash: hashKey(key), lastFour: key.slice(-4), createdAt: clock.now(), expiresAt };
  return { key, row };
}

/** Where a further key is stored: also within somebody's transaction, with which it stands or falls. */
type FurtherKeyContext = Omit<KeyContext, "database"> & { database: Database | Transaction };

/** Makes a further key of an account. The plain key is in the answer and nowhere else. Throws AppError not_found. */
export async function createFurtherKey(
  context: FurtherKeyContext,
  { accountId, expiresAt = null }: { accountId: string; expiresAt?: Date | null },
): Promise<IssuedKey> {
  const { key, row } = newKey(context, expiresAt);
  const stored = await insertKey(context.database, accountId, row);
  if (!stored) throw new AppError("not_found", `There is no account ${accountId}.`);
  return { key, stored };
}

/**
 * Makes a key: with an account of its own, or as a further key of one that is there. The plain key is in the answer
 * and nowhere else. Throws AppError not_found for an unknown account.
 */
export async function createKey(context: KeyContext, input: CreateKeyInput): Promise<IssuedKey> {
  if ("accountId" in input) return createFurtherKey(context, input);
  const { key, row } = newKey(context, input.expiresAt ?? null);
  const account = { id: context.ids.next(), label: input.label ?? null, tier: input.tier };
  return { key, stored: await insertAccount(context.database, account, row) };
}
