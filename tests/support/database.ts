import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Pool } from "pg";
import {
  findEmbeddedPostgres,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "#lib/platform/database/embedded-postgres";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { applyMigrations } from "#lib/platform/database/migrate";
import { withDatabase } from "#lib/platform/database/migration-adapter";
import { readMigrations } from "#lib/platform/database/migration-files";
import { dataFolder } from "#lib/platform/database/paths";
import { withClient } from "#lib/platform/database/postgres-connection";
import { isSameProcess, ownIdentity, processToken, takeFileLock } from "../../lib/platform/processes.mjs";

const lockTimeoutMs = 60_000;
const memoryFolder = "/dev/shm";
const minMemoryBytes = 4 * 1024 ** 3;

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= minMemoryBytes;
  } catch {
    return false;
  }
}

/**
 * The server of vitest's tests is in memory where there is room: a database has over 500 files, which take half a second on
 * some disks. Benchmarks measure one on disk.
 */
const isInMemory = process.env.VITEST !== undefined && hasMemory();

function folder(): string {
  if (!isInMemory) return path.join(dataFolder(), "test-database");
  const id = createHash("sha256").update(dataFolder()).digest("hex").slice(0, 16);
  return path.join(memoryFolder, `tapedeck-tests-${id}`);
}

export type TestDatabase = {
  url: string;
  client: Database;
  /** Drops the database. Dropping the last one stops the server, and removes it from memory, unless a run holds it. */
  drop(): Promise<void>;
};

/**
 * Creates a database on a real server in about 60 ms: a copy of a template with all migrations applied, or with
 * `isEmpty` one without any. All test files share the server, including those of other runs in this folder.
 */
export async function createTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(4).toString("hex")}`;
  const url = await exclusively(async () => {
    const { pool, url, template } = await startedServer();
    // Copying files takes half the CPU time of the default strategy, which writes each page to the log too.
    const source = isEmpty ? "template0" : template;
    await pool.query(`CREATE DATABASE "${name}" TEMPLATE "${source}" STRATEGY FILE_COPY`);
    return withDatabase(url, name);
  });
  const client = createDatabase(url);
  const drop = async () => {
    await client.$disconnect();
    await exclusively(async () => {
      const { pool, url } = await startedServer();
      await pool.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      await stopUnusedServer(url);
    });
  };
  return { url, client, drop };
}

type Server = { pool: Pool; url: string; template: string };

/** The server, with a connection of this process. Opening others for each database took as long as the rest. */
let server: Server | undefined;

/** Returns the server; starts it if it does not run. */
async function startedServer(): Promise<Server> {
  if (server) return server;
  // Nothing here has to survive a power cut. Every worker and every started app opens up to ten connections.
  const settings = { fsync: "off", max_connections: "300", max_wal_size: "256MB" };
  const { url } = await startEmbeddedPostgres({ folder: folder(), settings });
  const template = await ensureTemplate(url);
  const pool = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on("error", () => {
    server = undefined;
  });
  server = { pool, url, template };
  return server;
}

async function exclusively<T>(use: () => Promise<T>): Promise<T> {
  const { release } = await takeFileLock(`${folder()}.lock`, { timeoutMs: lockTimeoutMs });
  if (!release) throw new Error(`${folder()}.lock has been held for over ${lockTimeoutMs / 1_000} s.`);
  try {
    return await use();
  } finally {
    release();
  }
}

async function ensureTemplate(serverUrl: string): Promise<string> {
  const { migrationDirectories } = await readMigrations();
  const name = `template_${createHash("sha256").update(JSON.stringify(migrationDirectories)).digest("hex").slice(0, 16)}`;
  const [existing] = await query(serverUrl, "SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  if (existing) return name;
  // It has another name until all migrations are applied.
  const unfinished = `unfinished_${name}`;
  await query(serverUrl, `DROP DATABASE IF EXISTS "${unfinished}" WITH (FORCE)`);
  await query(serverUrl, `CREATE DATABASE "${unfinished}"`);
  await applyMigrations(withDatabase(serverUrl, unfinished));
  await query(serverUrl, `ALTER DATABASE "${unfinished}" RENAME TO "${name}"`);
  return name;
}

const runsFolder = () => `${folder()}-runs`;

/**
 * Until the returned function is called, dropping the last database does not stop a server that a test started. Starts
 * nothing: many tests need no database.
 */
export async function holdServer(): Promise<() => Promise<void>> {
  mkdirSync(runsFolder(), { recursive: true });
  const file = path.join(runsFolder(), `${process.pid}-${randomBytes(4).toString("hex")}`);
  await exclusively(async () => writeFileSync(file, JSON.stringify(ownIdentity())));
  return async () => {
    await exclusively(async () => {
      rmSync(file);
      const url = await findEmbeddedPostgres(folder(), "postgres");
      if (url) await stopUnusedServer(url);
    });
  };
}

/** Whether a run of tests that is still going holds the server. Removes what killed runs left. */
function isHeld(): boolean {
  const names = existsSync(runsFolder()) ? readdirSync(runsFolder()) : [];
  return names.some((name) => {
    const file = path.join(runsFolder(), name);
    if (isSameProcess(JSON.parse(readFileSync(file, "utf8")))) return true;
    rmSync(file, { force: true });
    return false;
  });
}

/** Drops databases of killed processes, and stops the server if no process uses it. */
async function stopUnusedServer(serverUrl: string): Promise<void> {
  if (isHeld()) return;
  await server?.pool.end();
  server = undefined;
  const databases = await query<{ datname: string }>(
    serverUrl,
    "SELECT datname FROM pg_database WHERE datname LIKE 'test\\_%'",
  );
  let inUse = 0;
  for (const { datname } of databases) {
    if (processToken(Number(datname.split("_")[1])) !== undefined) inUse += 1;
    else await query(serverUrl, `DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
  }
  if (inUse > 0) return;
  await stopEmbeddedPostgres(folder());
  if (isInMemory) rmSync(folder(), { recursive: true });
}

async function query<Row>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await withClient({ connectionString: url }, (client) => client.query(sql, values));
  return rows as Row[];
}
