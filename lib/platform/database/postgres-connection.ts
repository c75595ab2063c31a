import { createServer } from "node:net";
import { Client } from "pg";
import { isSameFolder } from "./postmaster-file";

export const postgresHost = "127.0.0.1";
export const postgresUser = "tapedeck";
const connectTimeoutMs = 2_000;
const queryTimeoutMs = 10_000;

export type PostgresAddress = { port: number; password: string };

export function postgresUrl({ port, password }: PostgresAddress, database: string): string {
  return `postgresql://${postgresUser}:${password}@${postgresHost}:${port}/${database}?sslmode=disable`;
}

/** Runs `use` with a connection of the superuser, and closes it whatever happens. */
export async function withConnection<T>(
  { port, password }: PostgresAddress,
  database: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    host: postgresHost,
    port,
    user: postgresUser,
    password,
    database,
    ssl: false,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
  });
  // A server that goes away in between rejects the running query; the event alone would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Does the server of this very cluster answer there? Any other server, or none, is a plain no. */
export async function isClusterServed(address: PostgresAddress, cluster: string): Promise<boolean> {
  try {
    return await withConnection(address, "postgres", async (client) => {
      const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
      return isSameFolder(rows[0]?.data_directory ?? "", cluster);
    });
  } catch {
    return false;
  }
}

export async function ensureDatabase(address: PostgresAddress, database: string): Promise<void> {
  await withConnection(address, "postgres", async (client) => {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [database]);
    if (!rowCount) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  });
}

/** Asks the system for a free port, or whether this one is. Undefined where it is taken. */
export function findFreePort(wanted = 0): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? resolve(undefined) : reject(error),
    );
    server.listen({ port: wanted, host: postgresHost, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : undefined));
    });
  });
}
