import { AppError } from "#lib/platform/errors";
import { type Database, database } from "./client";

/** The client of this process. Throws AppError service_unavailable where no database is configured. */
export function requireDatabase(): Database {
  const client = database();
  if (client) return client;
  throw new AppError("service_unavailable", "This needs a database, and none is configured here. Set DATABASE_URL.");
}
