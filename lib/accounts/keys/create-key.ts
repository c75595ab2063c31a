import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { AccountTier } from "#lib/accounts/plans/index";
import type { Context } from "#lib/platform/context";
import type { Database, Transaction } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { insertAccount, insertKey, type NewKey, type StoredKey } from "./store";

/** Prefix of every key. */
const keyPrefix = "ltf_";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 32;
const checksumLength = 6;
const pattern = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Returns the CRC-32 of a text in base62. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place += 1) {
    digits = `${alphabet[rest % alphabet.length]}${digits}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** Generates a key of 42 characters: the prefix, 190 random bits, and a checksum of both. */
export function generateKey(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  const body = `${keyPrefix}${random}`;
  return `${body}${checksumOf(body)}`;
}

/** Returns whether a text has the form and checksum of a key, which detects typos without a database query. */
export function isWellFormedKey(text: string): boolean {
  return pattern.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** Returns the SHA-256 of a key in hexadecimal, which is stored in its place. Keys are random, so it needs no salt. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

export type KeyContext = Pick<Context, "database" | "clock" | "ids">;

/** A new key with its plain text, which is not stored. */
export type IssuedKey = { key: string; stored: StoredKey };

type CreateKeyInput = {
  /** Null for a key that does not expire. */
  expiresAt?: Date | null;
} & (
  | { tier: AccountTier; label?: string | null }
  /** An existing account; the key gets its tier. */
  | { accountId: string }
);

/** Generates a key and its row. Its requests are counted under its own id, which later rotations keep. */
export function newKey(
  { clock, ids }: Omit<KeyContext, "database">,
  expiresAt: Date | null,
): { key: string; row: NewKey } {
  const key = generateKey();
  const id = ids.next();
  const hashed = { hash: hashKey(key), lastFour: key.slice(-4) };
  const row = { id, limitId: id, ...hashed, name: null, createdAt: clock.now(), expiresAt };
  return { key, row };
}

/** A context whose database may be a transaction. */
type FurtherKeyContext = Omit<KeyContext, "database"> & { database: Database | Transaction };

/**
 * Creates another key for an account and returns it; the plain key is not stored. Its requests are counted on `limitId`, by
 * default its own id. Throws AppError not_found.
 */
export async function createFurtherKey(
  context: FurtherKeyContext,
  { accountId, expiresAt = null, limitId }: { accountId: string; expiresAt?: Date | null; limitId?: string },
): Promise<IssuedKey> {
  const { key, row } = newKey(context, expiresAt);
  const stored = await insertKey(context.database, accountId, { ...row, limitId: limitId ?? row.limitId });
  if (!stored) throw new AppError("not_found", `There is no account ${accountId}.`);
  return { key, stored };
}

/**
 * Creates a key, with a new account or as another key of an existing one, and returns it; the plain key is not stored.
 * Throws AppError not_found for an unknown account.
 */
export async function createKey(context: KeyContext, input: CreateKeyInput): Promise<IssuedKey> {
  if ("accountId" in input) return createFurtherKey(context, input);
  const { key, row } = newKey(context, input.expiresAt ?? null);
  const account = { id: context.ids.next(), label: input.label ?? null, tier: input.tier };
  return { key, stored: await insertAccount(context.database, account, row) };
}
