import type { Database } from "#lib/platform/database/index";

/** A context in which the database may be missing: its getter may throw. Search works without one. */
export type OptionalDatabase = { readonly database?: Database };

/** Returns the database; undefined if none is configured. */
export function databaseOf(context: OptionalDatabase): Database | undefined {
  try {
    return context.database;
  } catch {
    return undefined;
  }
}
