import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { MigrationList, SchemasContainer } from "@prisma/schema-engine-wasm";
import { config } from "#lib/platform/config";
import { embeddedDatabaseFolder, packageRoot } from "./paths";
import { withClient } from "./postgres-connection";

const schemaFile = path.join(packageRoot, "prisma", "schema.prisma");
const migrationsFolder = path.join(packageRoot, "prisma", "migrations");
const lockfileName = "migration_lock.toml";
const lockfileText = `# Written by tapedeck database new-migration, in Prisma's own format.\nprovider = "postgresql"\n`;

export async function readSchema(): Promise<SchemasContainer> {
  return { files: [{ path: "schema.prisma", content: await readFile(schemaFile, "utf8") }] };
}

export async function readMigrations(): Promise<MigrationList> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  const lockfile = await readFile(path.join(migrationsFolder, lockfileName), "utf8").catch(() => lockfileText);
  return {
    baseDir: migrationsFolder,
    lockfile: { path: lockfileName, content: lockfile },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(
      names
        .sort()
        .map(async (name) => ({
          path: name,
          migrationFile: {
            path: "migration.sql",
            content: {
              tag: "ok" as const,
              value: await readFile(path.join(migrationsFolder, name, "migration.sql"), "utf8"),
            },
          },
        })),
    ),
  };
}

/** Writes a migration with a name that sorts after all others. Returns its folder. */
export async function writeMigration(name: string, script: string, now: Date): Promise<string> {
  const timestamp = now.toISOString().replace(/\D/g, "").slice(0, 14);
  const folder = path.join(migrationsFolder, `${timestamp}_${name}`);
  const unfinished = path.join(migrationsFolder, `.${timestamp}_${name}`);
  await mkdir(unfinished, { recursive: true });
  await writeFile(path.join(migrationsFolder, lockfileName), lockfileText);
  await writeFile(path.join(unfinished, "migration.sql"), script);
  await rename(unfinished, folder);
  return folder;
}

const queryTimeoutMs = 10_000;
const undefinedTableCode = "42P01";

/**
 * Returns the names of the migrations that are not completely applied to a database. Reads Prisma's own records without
 * its engine, which takes long to load.
 */
export async function pendingMigrations(url: string): Promise<string[]> {
  return (await migrationStatus(url)).pending;
}

/** Names of migrations: applied, missing in the database, and applied by other code. */
export type MigrationStatus = { applied: string[]; pending: string[]; unknown: string[] };

/** Returns which migrations are applied to a database. */
export async function migrationStatus(url: string): Promise<MigrationStatus> {
  const [{ migrationDirectories }, applied] = await Promise.all([readMigrations(), readApplied(url)]);
  const names = migrationDirectories.map(({ path: name }) => name);
  return {
    applied: names.filter((name) => applied.has(name)),
    pending: names.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !names.includes(name)),
  };
}

/** Throws if the database was set up by development versions, whose migrations no release has. */
export function requireReleasedMigrations({ applied, unknown }: MigrationStatus): void {
  if (applied.length > 0 || unknown.length === 0) return;
  const isEmbedded = config().DATABASE_URL === undefined;
  const advice = isEmbedded
    ? `move ${embeddedDatabaseFolder()} to another place, and a new database is created`
    : "set DATABASE_URL to an empty database";
  throw new Error(
    `It was created by a development version, whose migrations this version does not have. Nothing was changed. To go on, ${advice}.`,
  );
}

async function readApplied(url: string): Promise<ReadonlySet<string>> {
  const timeouts = { connectionTimeoutMillis: config().DATABASE_TIMEOUT_MS, query_timeout: queryTimeoutMs };
  try {
    const { rows } = await withClient({ connectionString: url, ...timeouts }, (client) =>
      client.query<{ migration_name: string }>(
        "SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
      ),
    );
    return new Set(rows.map(({ migration_name }) => migration_name));
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTableCode) return new Set();
    throw error;
  }
}
