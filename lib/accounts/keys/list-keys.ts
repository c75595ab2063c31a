import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { type KeyState, keyState } from "./key-state";
import { findKeys, type StoredKey } from "./store";

/** Most keys that are listed. */
const maxListedCount = 1_000;

export type ListedKey = StoredKey & { state: KeyState };

/** The keys, or those of one account, the newest first; a thousand at most. */
export async function listKeys(
  { database, clock }: { database: Database; clock: Clock },
  { accountId }: { accountId?: string } = {},
): Promise<ListedKey[]> {
  const now = clock.now();
  const keys = await findKeys(database, { accountId, limit: maxListedCount });
  return keys.map((key) => ({ ...key, state: keyState(key, now) }));
}
