import { createDatabase, type Database } from "#lib/platform/database/index";
import { CommandFailure } from "../failure";
import { openDatabase } from "./open-database";

/** Prisma's code for a table that is not there. */
const missingTable = "P2021";

function explain(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code !== missingTable) return error;
  return new CommandFailure("The database lacks tables. Apply the migrations first: tapedeck database migrate");
}

/** Gives a command the configured database, or the embedded one, and closes what it opened. */
export async function withDatabase<T>(use: (database: Database) => Promise<T>): Promise<T> {
  const { url, release } = await openDatabase();
  const database = createDatabase(url);
  try {
    return await use(database);
  } catch (error) {
    throw explain(error);
  } finally {
    await database.$disconnect();
    await release();
  }
}
