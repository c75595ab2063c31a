import { PrismaPg } from "@prisma/adapter-pg";
import { config } from "#lib/platform/config";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { type Prisma, PrismaClient } from "#prisma/generated/client";

const poolSize = 10;
const connectTimeoutMs = 3_000;
const idleTimeoutMs = 30_000;

export type Database = PrismaClient;
/** The client within a transaction. */
export type Transaction = Prisma.TransactionClient;

/** A client of its own for one address; the caller disconnects it. */
export function createDatabase(url: string): Database {
  const adapter = new PrismaPg(
    {
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: idleTimeoutMs,
      // Serverless functions and short commands end although a connection idles.
      allowExitOnIdle: true,
    },
    // The driver hangs the whole connection on the error: its message is enough.
    { onPoolError: ({ message }) => log().warn({ reason: message }, "an idle database connection was lost") },
  );
  // Other formats look for the place of each call in the source, at a cost for every query.
  return new PrismaClient({ adapter, errorFormat: "minimal" });
}

/** The client of this process, shared by all of Next's bundles; undefined where no database is configured. */
export function database(): Database | undefined {
  const { DATABASE_URL: url } = config();
  return url === undefined ? undefined : processSingleton("database", () => createDatabase(url));
}
