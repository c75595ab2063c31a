import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { findKeys, findNamedKeys, markRevoked, type StoredKey } from "./store";
import { type KeyState, keyState } from "./verify-key";

/** Most keys in a list. */
const maxListedCount = 1_000;

export type ListedKey = StoredKey & { state: KeyState };

/** Returns all keys, or those of one account, newest first, at most 1,000. */
export async function listKeys(
  { database, clock }: { database: Database; clock: Clock },
  { accountId }: { accountId?: string } = {},
): Promise<ListedKey[]> {
  const now = clock.now();
  const keys = await findKeys(database, { accountId, limit: maxListedCount });
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
  { database, clock }: { database: Database; clock: Clock },
  { name }: { name: string },
): Promise<StoredKey> {
  const [found, ...others] = await findNamedKeys(database, parseName(name), maxNamedCount);
  if (!found) throw new AppError("not_found", `There is no key ${name}.`);
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(", ");
    throw new AppError("conflict", `Several keys end in ${name}. Give the id of one: ${ids}.`);
  }
  const revokedAt = found.revokedAt ?? clock.now();
  await markRevoked(database, found.id, revokedAt);
  return { ...found, revokedAt };
}
