import { PrismaPg } from "@prisma/adapter-pg";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { withTimeout } from "#lib/platform/with-timeout";
import { type Prisma, PrismaClient } from "#prisma/generated/client";

const poolSize = 10;
const idleTimeoutMs = 30_000;
/** Maximum times for the start and for the statements of a transaction, in milliseconds: a busy machine needs seconds. */
const transactionOptions = { maxWait: 10_000, timeout: 20_000 };

export type Database = PrismaClient;
/** The client within a transaction. */
export type Transaction = Prisma.TransactionClient;

/** Creates a client for a database. The caller disconnects it. */
export function createDatabase(url: string): Database {
  const adapter = new PrismaPg(
    {
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: config().DATABASE_CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: idleTimeoutMs,
      // Idle connections must not keep serverless functions and short commands running.
      allowExitOnIdle: true,
    },
    // The error object references the whole connection, so only its message is logged.
    { onPoolError: ({ message }) => log().warn({ reason: message }, "lost an idle database connection") },
  );
  // Other formats locate each call in the source, which slows down every query.
  return new PrismaClient({ adapter, errorFormat: "minimal", transactionOptions });
}

/** Returns the client of this process, shared by Next's bundles; undefined if no database is configured. */
export function database(): Database | undefined {
  const { DATABASE_URL: url } = config();
  return url === undefined ? undefined : processSingleton("database", () => createDatabase(url));
}

/** Returns the client of this process. Throws AppError service_unavailable if no database is configured. */
export function requireDatabase(): Database {
  const client = database();
  if (client) return client;
  throw new AppError("service_unavailable", "This needs a database, and none is configured. Set DATABASE_URL.");
}

const pingTimeoutMs = 1_000;

/** At most one query is in flight, however many clients request the health while the database hangs. */
type Pings = { current?: Promise<boolean> | undefined };

/** Whether the database answers within a second. False if none is configured. Never throws. */
export async function pingDatabase(client: Database | undefined = database()): Promise<boolean> {
  if (!client) return false;
  const pings = processSingleton<WeakMap<Database, Pings>>("database-pings", () => new WeakMap());
  const ping = pings.get(client) ?? {};
  pings.set(client, ping);
  ping.current ??= client.$queryRaw`SELECT 1`
    .then(
      () => true,
      () => false,
    )
    .finally(() => {
      ping.current = undefined;
    });
  const { current } = ping;
  return withTimeout(pingTimeoutMs, () => current).catch(() => false);
}
