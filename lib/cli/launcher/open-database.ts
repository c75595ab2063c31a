import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commandLine } from "#lib/platform/command-line";
import { config } from "#lib/platform/config";
import {
  hasEmbeddedPostgres,
  isEmbeddedPostgresRunning,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "#lib/platform/database/embedded-postgres";
import { createJobDatabase, type Database } from "#lib/platform/database/index";
import { dataFolder, embeddedDatabaseFolder } from "#lib/platform/database/paths";
import { provideEncryptionKeys } from "#lib/platform/encryption";
import { ensureKeyFile } from "#lib/platform/encryption-key-file";
import { CommandFailure } from "../failure";
import type { RestartableDatabase } from "./supervise";

/** Exists after `tapedeck database start`, which leaves the server running. */
function keepFile(): string {
  return path.join(embeddedDatabaseFolder(), "kept");
}

export function keepDatabase(): void {
  writeFileSync(keepFile(), "");
}

export function forgetDatabase(): void {
  rmSync(keepFile(), { force: true });
}

type OpenDatabase = {
  url: string;
  release(): Promise<void>;
  /** Undefined for the database of `DATABASE_URL`. */
  embedded?: RestartableDatabase;
};

/**
 * Opens the database of `DATABASE_URL`, else the embedded one, which is started if needed. `release` stops the server if
 * this call started it; with `takesOver`, also a server left running by a launcher that was killed.
 */
export async function openDatabase({ takesOver = false } = {}): Promise<OpenDatabase> {
  const { DATABASE_URL: url } = config();
  if (url !== undefined) return { url, release: async () => {} };
  const folder = embeddedDatabaseFolder();
  const server = await startEmbeddedPostgres({ folder });
  provideEncryptionKeys([ensureKeyFile()]);
  const release = async () => {
    if (!existsSync(keepFile()) && (takesOver || !server.isAdopted)) await stopEmbeddedPostgres(folder);
  };
  const embedded = {
    isRunning: () => isEmbeddedPostgresRunning(folder),
    start: async () => (await startEmbeddedPostgres({ folder })).url,
  };
  return { url: server.url, release, embedded };
}

/** Returns host, port and database of a URL, without user and password. */
export function describeUrl(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
}

/** Prisma's code for a missing table. */
const missingTable = "P2021";

function explain(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code !== missingTable) return error;
  return new CommandFailure(`The database has pending migrations. Apply them: ${commandLine("database migrate")}`);
}

/** Throws CommandFailure if there is no embedded database: a command would create a second one beside the server's. */
function requireExisting(): void {
  if (config().DATABASE_URL !== undefined || hasEmbeddedPostgres(embeddedDatabaseFolder())) return;
  throw new CommandFailure(
    `There is no database in ${dataFolder()}. Start the service once (${commandLine("up")}), or set TAPEDECK_DATA_DIR or DATABASE_URL as the server has them.`,
  );
}

/**
 * Runs `use` with the configured or embedded database, and closes what it opened. Throws CommandFailure if there is no
 * embedded database yet.
 */
export async function withDatabase<T>(use: (database: Database) => Promise<T>): Promise<T> {
  requireExisting();
  const { url, release } = await openDatabase();
  const database = createJobDatabase(url);
  try {
    return await use(database);
  } catch (error) {
    throw explain(error);
  } finally {
    await database.$disconnect();
    await release();
  }
}
