import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { config } from "#lib/platform/config";
import { startEmbeddedPostgres, stopEmbeddedPostgres } from "#lib/platform/database/embedded-postgres";
import { embeddedDatabaseFolder } from "#lib/platform/database/paths";
import { provideEncryptionKeys } from "#lib/platform/encryption";
import { ensureKeyFile } from "#lib/platform/encryption-key-file";

/** `tapedeck database start` asks the server to outlive the command; this file remembers that. */
function keepFile(): string {
  return path.join(embeddedDatabaseFolder(), "kept");
}

export function keepDatabase(): void {
  mkdirSync(embeddedDatabaseFolder(), { recursive: true });
  writeFileSync(keepFile(), "");
}

export function forgetDatabase(): void {
  rmSync(keepFile(), { force: true });
}

export type OpenDatabase = { url: string; release(): Promise<void> };

/**
 * The database of `DATABASE_URL`, else the embedded one, started where it does not run. `release` stops what this
 * call started; with `takesOver` also a server that it found, left over from a launcher that was killed.
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
  return { url: server.url, release };
}

/** The place that a database URL names, without user and password. */
export function describeUrl(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
}
