import type { Client } from "pg";
import { type MigrationStatus, migrationStatus } from "./migration-files";
import { withClient } from "./postgres-connection";

/** What a database server says about itself. */
export type ServerFacts = {
  /** Such as `18.4`, and 180004. */
  version: string;
  versionNumber: number;
  /** Whether a pooler answers the connection instead of the server. */
  isPooled: boolean;
  /** Time zone of the session, which asks for UTC, and whether it is the same time. */
  timeZone: string;
  isUtc: boolean;
  /** Whether the server or the account refuses writes. */
  isReadOnly: boolean;
  /** How far the server's clock is ahead of this machine's, and by how much that may be wrong, in milliseconds. */
  clockAheadMs: number;
  clockErrorMs: number;
  migrations: MigrationStatus;
  /** Version of the tables of pg-boss; null if there are none. */
  queueSchema: number | null;
};

const undefinedTable = "42P01";

/** Returns the only value of a statement; null if its table does not exist. */
async function readNumber(client: Client, sql: string): Promise<number | null> {
  try {
    const { rows } = await client.query({ text: sql, rowMode: "array" });
    return Number(rows[0]?.[0]);
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTable) return null;
    throw error;
  }
}

/** Reads the server's clock, and this machine's before and after. */
async function readClock(client: Client): Promise<Pick<ServerFacts, "clockAheadMs" | "clockErrorMs">> {
  const startedMs = Date.now();
  const serverMs = (await readNumber(client, "SELECT extract(epoch FROM clock_timestamp()) * 1000")) as number;
  const endedMs = Date.now();
  return { clockAheadMs: serverMs - (startedMs + endedMs) / 2, clockErrorMs: (endedMs - startedMs) / 2 };
}

/**
 * Connects to a database and returns what it says about itself. Changes nothing. Throws if it cannot be reached, or does
 * not answer a statement within `timeoutMs` milliseconds.
 */
export async function inspectServer(url: string, timeoutMs: number): Promise<ServerFacts> {
  const timeouts = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  return withClient({ connectionString: url, ...timeouts }, async (client) => {
    // A pooler gives clients process ids of its own.
    const { processID } = client as unknown as { processID: number | null };
    const { rows } = await client.query<{
      version: string;
      number: string;
      zone: string;
      utc: boolean;
      pid: number;
      refuses: boolean;
    }>(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
        current_setting('TimeZone') AS zone,
        extract(timezone FROM '2026-01-01'::timestamptz) = 0 AND extract(timezone FROM '2026-07-01'::timestamptz) = 0 AS utc,
        pg_backend_pid() AS pid, pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS refuses`,
    );
    const [row] = rows;
    if (!row) throw new Error("The server returned no row.");
    return {
      version: row.version.split(" ")[0] as string,
      versionNumber: Number(row.number),
      isPooled: processID !== row.pid,
      timeZone: row.zone,
      isUtc: row.utc,
      isReadOnly: row.refuses,
      ...(await readClock(client)),
      migrations: await migrationStatus(url),
      queueSchema: await readNumber(client, "SELECT version FROM pgboss.version"),
    };
  });
}
