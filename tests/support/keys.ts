import { inject } from "vitest";
import { createKey, type IssuedKey } from "#lib/accounts/keys/index";
import type { AccountTier } from "#lib/accounts/plans/index";
import { systemClock } from "#lib/platform/clock";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";

/** Runs `use` with the database of the started app. */
export async function withAppDatabase<T>(use: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase(inject("databaseUrl"));
  try {
    return await use(database);
  } finally {
    await database.$disconnect();
  }
}

/** Issues a key of the started app, with its own account. */
export function issueKey(tier: AccountTier, expiresAt: Date | null = null): Promise<IssuedKey> {
  return withAppDatabase((database) =>
    createKey({ database, clock: systemClock, ids: systemIds }, { tier, label: "test", expiresAt }),
  );
}
