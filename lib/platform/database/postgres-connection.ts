import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { Client, type ClientConfig } from "pg";
import { isSameFolder } from "./postmaster-file";

const postgresHost = "127.0.0.1";
export const postgresUser = "tapedeck";
const connectTimeoutMs = 2_000;
const queryTimeoutMs = 10_000;

export type PostgresAddress = { port: number; password: string };

export function isPort(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= 65_535;
}

export function postgresUrl({ port, password }: PostgresAddress, database: string): string {
  return `postgresql://${postgresUser}:${password}@${postgresHost}:${port}/${database}?sslmode=disable`;
}

declare module "pg" {
  interface Client {
    getStartupConf(): Record<string, unknown>;
  }
}

/**
 * A connection whose session is in UTC, whatever the zone of the server or database: adapter-pg writes times without a zone, and
 * reads them as if they were in UTC. Poolers keep a parameter of the start for their client.
 */
export class UtcClient extends Client {
  override getStartupConf(): Record<string, unknown> {
    return { ...super.getStartupConf(), TimeZone: "UTC" };
  }
}

/** Runs `use` with a connection, and closes the connection. */
export async function withClient<T>(config: ClientConfig, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new UtcClient(config);
  // If the server stops, the running query rejects. Without a listener the event would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Runs `use` with a connection of the superuser. */
function withConnection<T>(
  { port, password }: PostgresAddress,
  database: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const address = { host: postgresHost, port, user: postgresUser, password, database, ssl: false };
  const timeouts = { connectionTimeoutMillis: connectTimeoutMs, query_timeout: queryTimeoutMs };
  return withClient({ ...address, ...timeouts }, use);
}

/** Whether the server at an address serves this cluster. False for any other server, or none. */
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

/** Ports that systems do not assign to outgoing connections, which could take that of a server while it restarts, and that fetch asks. */
const portRange = { from: 10_081, to: 32_000 };
const maxPortCount = 20;

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? resolve(false) : reject(error),
    );
    server.listen({ port, host: postgresHost, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Returns a free port; undefined if none of 20 is free. */
export async function findFreePort(): Promise<number | undefined> {
  for (let count = 0; count < maxPortCount; count++) {
    const port = randomInt(portRange.from, portRange.to);
    if (await isPortFree(port)) return port;
  }
  return undefined;
}
