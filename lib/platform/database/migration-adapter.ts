import { PrismaPg } from "@prisma/adapter-pg";
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from "@prisma/driver-adapter-utils";
import type { Pool, QueryConfig, QueryResult } from "pg";
import { minuteMs } from "#lib/platform/time";
import { UtcClient, withClient } from "./postgres-connection";

const connectTimeoutMs = 5_000;
/** Maximum time of one migration, in milliseconds, and of the wait for another process that applies them. */
const migrationTimeoutMs = 10 * minuteMs;
export const migrationTimeouts = { connectionTimeoutMillis: connectTimeoutMs, query_timeout: migrationTimeoutMs };
/** The lock of Prisma's engine, which `prisma migrate` takes too. */
export const migrationLockId = 72_707_369;
const engineLock = `SELECT pg_advisory_lock(${migrationLockId})`;
/**
 * Part of each script, so that a migration is recorded as finished exactly if it was applied, also if this process is killed
 * meanwhile. There are no records in a shadow database, and before the first migration.
 */
const recordFinished = `DO $$ BEGIN IF to_regclass('_prisma_migrations') IS NOT NULL THEN
  UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL; END IF; END $$; `;
/** Type ids of the system catalog's one-byte `"char"`, and of text. */
const charId = 18;
const textId = 25;

type MigrationAdapter = { factory: SqlMigrationAwareDriverAdapterFactory; close(): Promise<void> };
type Track = (adapter: SqlDriverAdapter, afterDispose?: () => Promise<void>) => SqlDriverAdapter;

/**
 * Returns adapter-pg for the schema engine, with corrections. Without them, adapter-pg splits scripts at every semicolon,
 * which breaks function bodies and can apply half a migration; it does not know the type `"char"`, so that no schema can
 * be read; and it drops the shadow database before disconnecting from it. If the engine fails, it leaves connections
 * open. The engine's lock is left out, because it belongs to a session: a pooler in transaction mode would keep it for
 * ever. The caller holds it in a transaction instead.
 */
export function migrationAdapter(url: string): MigrationAdapter {
  const open = new Set<SqlDriverAdapter>();
  const track: Track = (adapter, afterDispose) => {
    open.add(adapter);
    const [dispose, executeRaw] = [adapter.dispose.bind(adapter), adapter.executeRaw.bind(adapter)];
    return Object.assign(adapter, {
      executeRaw: async (query: SqlQuery) => (query.sql === engineLock ? 0 : executeRaw(query)),
      // One message per script: the server runs it as one transaction.
      executeScript: async (script: string) => {
        await executeRaw({ sql: recordFinished + script, args: [], argTypes: [] });
      },
      dispose: async () => {
        if (!open.delete(adapter)) return;
        await dispose();
        await afterDispose?.();
      },
    });
  };
  return {
    factory: {
      provider: "postgres",
      adapterName: "@prisma/adapter-pg",
      connect: async () => track(await connect(url)),
      connectToShadowDb: () => connectToShadow(url, track),
    },
    close: async () => {
      await Promise.all([...open].map((adapter) => adapter.dispose()));
    },
  };
}

/** Returns the URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(name)}`;
  return changed.href;
}

async function connect(url: string): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaPg({
    connectionString: url,
    max: 1,
    Client: UtcClient,
    ...migrationTimeouts,
  }).connect();
  const charColumns = trackCharColumns(adapter.underlyingDriver());
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const column of charColumns.get(result.rows) ?? []) result.columnTypes[column] = ColumnTypeEnum.Character;
    return result;
  };
  return adapter;
}

/** Declares `"char"` columns as text. Returns which columns of each result they were. */
function trackCharColumns(pool: Pool): WeakMap<unknown[], number[]> {
  const columnsByRows = new WeakMap<unknown[], number[]>();
  const query = pool.query.bind(pool) as (config: QueryConfig) => Promise<QueryResult>;
  const tracking = async (config: QueryConfig): Promise<QueryResult> => {
    const result = await query(config);
    // A script of several statements has an array of results, whose columns are not read.
    const columns = (result.fields ?? []).flatMap((field, column) => (field.dataTypeID === charId ? [column] : []));
    for (const column of columns) result.fields[column]!.dataTypeID = textId;
    if (columns.length) columnsByRows.set(result.rows, columns);
    return result;
  };
  pool.query = tracking as typeof pool.query;
  return columnsByRows;
}

async function connectToShadow(url: string, track: Track): Promise<SqlDriverAdapter> {
  const name = `tapedeck_shadow_${crypto.randomUUID().replaceAll("-", "")}`;
  await runOnce(url, `CREATE DATABASE "${name}"`);
  return track(await connect(withDatabase(url, name)), () =>
    runOnce(url, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`),
  );
}

/**
 * Records unfinished migrations, which were rolled back whole, as such: the engine then applies them again. Waits for one that
 * a killed process has left running. The caller holds the lock, in another connection.
 */
export async function releaseFailedMigrations(url: string): Promise<void> {
  await runOnce(
    url,
    "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL",
  );
}

async function runOnce(url: string, sql: string): Promise<void> {
  await withClient({ connectionString: url, ...migrationTimeouts }, (client) => client.query(sql));
}
