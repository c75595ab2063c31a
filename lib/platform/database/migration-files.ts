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

/** Names of migrations: applied, missing in the database, and applied by other code. */
export type MigrationStatus = {
  applied: string[];
  pending: string[];
  unknown: string[];
  /** Those of the pending ones that were begun; without a reason, they are running, or their process was killed. */
  unfinished: { name: string; reason?: string }[];
};

/** Returns which migrations are applied to a database: Prisma's own records, without its engine, which takes long to load. */
export async function migrationStatus(url: string): Promise<MigrationStatus> {
  const [{ migrationDirectories }, records] = await Promise.all([readMigrations(), readRecords(url)]);
  const names = migrationDirectories.map(({ path: name }) => name);
  const applied = new Set(records.flatMap(({ name, isFinished }) => (isFinished ? [name] : [])));
  return {
    applied: names.filter((name) => applied.has(name)),
    pending: names.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !names.includes(name)),
    unfinished: records
      .filter(({ isFinished }) => !isFinished)
      .map(({ name, logs }) => ({ name, ...(logs && { reason: databaseReason(logs) }) })),
  };
}

/** Returns what the database said in a message of Prisma's engine, which also has the engine's own stack. */
export function databaseReason(message: string): string {
  const withoutStack = message.replace(/\n\s+\d+: .*$/s, "");
  return withoutStack.replace(/^(external connector error\n)?(Error querying the database: )?(ERROR: )?/, "").trim();
}

/** A database that this version cannot use, however long it waits. */
export class DatabaseRefusedError extends Error {}

/** Returns why a database has migrations that this version does not have, and what to do; undefined if it has none. */
export function unknownMigrations({ applied, unknown }: MigrationStatus): { seen: string; advice: string } | undefined {
  if (unknown.length === 0) return undefined;
  if (applied.length > 0) {
    const seen = `migrated by a newer version: this one does not have ${unknown.join(", ")}`;
    return { seen, advice: "run that version or a newer one, or restore the backup from before the upgrade" };
  }
  const isEmbedded = config().DATABASE_URL === undefined;
  const advice = isEmbedded
    ? `move ${embeddedDatabaseFolder()} to another place, and a new database is created`
    : "set DATABASE_URL to an empty database";
  return { seen: "created by a development version, whose migrations this version does not have", advice };
}

/** Throws DatabaseRefusedError if the database has migrations that this version does not have. */
export function requireKnownMigrations(status: MigrationStatus): void {
  const found = unknownMigrations(status);
  if (found)
    throw new DatabaseRefusedError(`The database was ${found.seen}. Nothing was changed. To go on, ${found.advice}.`);
}

type MigrationRecord = { name: string; isFinished: boolean; logs: string | null };

async function readRecords(url: string): Promise<MigrationRecord[]> {
  const timeouts = { connectionTimeoutMillis: config().DATABASE_TIMEOUT_MS, query_timeout: queryTimeoutMs };
  try {
    const { rows } = await withClient({ connectionString: url, ...timeouts }, (client) =>
      client.query<MigrationRecord>(
        `SELECT migration_name AS name, finished_at IS NOT NULL AS "isFinished", logs FROM _prisma_migrations
          WHERE rolled_back_at IS NULL`,
      ),
    );
    return rows;
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTableCode) return [];
    throw error;
  }
}
