import type { AccountTier } from "#lib/billing/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
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

/**
 * Makes a key: with an account of its own, or as a further key of one that is there. The plain key is in the answer
 * and nowhere else. Throws AppError not_found for an unknown account.
 */
export async function createKey(context: KeyContext, input: CreateKeyInput): Promise<IssuedKey> {
  const { key, row } = newKey(context, input.expiresAt ?? null);
  if ("accountId" in input) {
    const stored = await insertKey(context.database, input.accountId, row);
    if (!stored) throw new AppError("not_found", `There is no account ${input.accountId}.`);
    return { key, stored };
  }
  const account = { id: context.ids.next(), label: input.label ?? null, tier: input.tier };
  return { key, stored: await insertAccount(context.database, account, row) };
}
