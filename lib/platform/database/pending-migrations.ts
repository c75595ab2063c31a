import { Client } from "pg";
import { readMigrations } from "./migration-files";

const connectTimeoutMs = 5_000;
const queryTimeoutMs = 10_000;
const undefinedTableCode = "42P01";

/**
 * Returns the names of the migrations that are not completely applied to a database. Reads Prisma's own records without
 * its engine, which takes long to load.
 */
export async function pendingMigrations(url: string): Promise<string[]> {
  const [{ migrationDirectories }, applied] = await Promise.all([readMigrations(), readApplied(url)]);
  return migrationDirectories.map(({ path }) => path).filter((name) => !applied.has(name));
}

async function readApplied(url: string): Promise<ReadonlySet<string>> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ migration_name: string }>(
      "SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
    );
    return new Set(rows.map(({ migration_name }) => migration_name));
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTableCode) return new Set();
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}
