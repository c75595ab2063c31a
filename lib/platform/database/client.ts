import type { Pool } from "pg";
import { config } from "#lib/platform/config";
import { notConfigured } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { perObject } from "#lib/platform/per-object";
import { existingSingleton, processSingleton } from "#lib/platform/process-singleton";
import { minuteMs } from "#lib/platform/time";
import { withTimeout } from "#lib/platform/with-timeout";
import { type Prisma, PrismaClient } from "#prisma/generated/client";
import { isServerWorker } from "../server-workers";
import {
  boundedAdapter,
  boundedPool,
  type DirectQuery,
  queryPool,
  type Statement,
  transactPool,
} from "./bounded-adapter";
import { restoreUnavailable } from "./unavailable";

export const poolSize = 10;
/** Connections that the processes of a server share, so that the database does not run out of them. */
const sharedPoolSize = 40;
const minPoolSize = 4;
const idleTimeoutMs = 30_000;
/** Maximum time of a transaction with all its statements, in milliseconds: a busy machine needs seconds. */
export const transactionTimeoutMs = 20_000;
/** Maximum time of a statement of a job or a command, in milliseconds. */
export const jobTimeoutMs = minuteMs;

export type Database = PrismaClient;
/** The client within a transaction. */
export type Transaction = Prisma.TransactionClient;

type BoundedPool = { currentPool: () => Pool; timeoutMs: number };

/** The connections of each client. */
const pools = processSingleton<WeakMap<Database, BoundedPool>>("database-pools", () => new WeakMap());

/**
 * Creates a client for a database. The caller disconnects it. Operations throw AppError service_unavailable if the
 * database cannot be reached, or does not answer a statement within `timeoutMs` milliseconds.
 */
export function createDatabase(url: string, timeoutMs = config().DATABASE_TIMEOUT_MS): Database {
  const openPool = () => {
    const opened = boundedPool({
      connectionString: url,
      max: isServerWorker
        ? Math.max(minPoolSize, Math.min(poolSize, Math.floor(sharedPoolSize / config().WORKERS)))
        : poolSize,
      idleTimeoutMillis: idleTimeoutMs,
      // Idle connections must not keep serverless functions and short commands running.
      allowExitOnIdle: true,
      timeoutMs,
    });
    opened.on("error", ({ message }) => {
      // The error object references the whole connection, so only its message is logged.
      if (!opened.ending) log().warn({ reason: message }, "lost an idle database connection");
    });
    return opened;
  };
  let pool: Pool | undefined;
  const currentPool = () => {
    pool ??= openPool();
    return pool;
  };
  const adapter = boundedAdapter(currentPool, timeoutMs);
  // The adapter's own limit ends the start of a transaction first, with an error that says why.
  const transactionOptions = { maxWait: timeoutMs + transactionTimeoutMs, timeout: transactionTimeoutMs };
  // Other formats locate each call in the source, which slows down every query.
  const client = new PrismaClient({ adapter, errorFormat: "minimal", transactionOptions });
  const restoringErrors = client.$extends({
    client: {
      $disconnect: async () => {
        const ended = pool;
        pool = undefined;
        await client.$disconnect();
        await ended?.end();
      },
    },
    query: {
      $allOperations: ({ args, query }) =>
        query(args).catch((error: unknown) => {
          throw restoreUnavailable(error);
        }),
    },
  });
  const database = restoringErrors as unknown as Database;
  pools.set(database, { currentPool, timeoutMs });
  return database;
}

function poolOf(client: Database): BoundedPool {
  const bounded = pools.get(client);
  if (!bounded) throw new Error("The client of a transaction has no connections of its own.");
  return bounded;
}

/**
 * Runs a statement over the client's connections without Prisma, which takes less than half of the time. Returns the rows.
 * Statements have no names: a pooler in front of the database may give each transaction another connection. Throws AppError
 * service_unavailable as the client does.
 */
export async function queryDirectly(client: Database, query: Statement): Promise<Record<string, unknown>[]> {
  const { currentPool, timeoutMs } = poolOf(client);
  return queryPool(currentPool(), timeoutMs, query);
}

/**
 * Runs `work` in a transaction over one of the client's connections, without Prisma as `queryDirectly` does. Rolls back and
 * throws if `work` throws. Throws AppError service_unavailable as the client does.
 */
export async function transactDirectly<T>(client: Database, work: (query: DirectQuery) => Promise<T>): Promise<T> {
  return transactPool(poolOf(client).currentPool(), work);
}

/** Creates a client for jobs and commands, whose statements may take a minute. The caller disconnects it. */
export function createJobDatabase(url: string): Database {
  return createDatabase(url, Math.max(jobTimeoutMs, config().DATABASE_TIMEOUT_MS));
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
  throw notConfigured("This server has no database, which this needs.", "DATABASE_URL is not set");
}

/** Returns the client of this process for jobs. Throws AppError service_unavailable if the database does not answer. */
export async function requireJobDatabase(): Promise<Database> {
  await requireAnswer(requireDatabase());
  return processSingleton("job-database", () => createJobDatabase(config().DATABASE_URL as string));
}

/** The connections of a client of this process: all, those that are not in use, and the requests that wait for one. */
export type PoolStatus = { name: "requests" | "jobs"; total: number; idle: number; waiting: number };

/** Returns the connections of this process's clients that have been used. */
export function poolStatuses(): PoolStatus[] {
  const clients = [
    ["requests", "database"],
    ["jobs", "job-database"],
  ] as const;
  return clients.flatMap(([name, singleton]) => {
    const client = existingSingleton<Database>(singleton);
    if (!client) return [];
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = poolOf(client).currentPool();
    return [{ name, total, idle, waiting }];
  });
}

/** Throws AppError service_unavailable if the database does not answer. */
async function requireAnswer(client: Database): Promise<void> {
  await client.$queryRaw`SELECT 1`;
}

const pingTimeoutMs = 1_000;

/** At most one query is in flight, however many clients request the health while the database hangs. */
type Pings = { current?: Promise<boolean> | undefined };

/** Whether the database answers in time. False if none is configured. Never throws. */
export async function pingDatabase(
  client: Database | undefined = database(),
  timeoutMs = pingTimeoutMs,
): Promise<boolean> {
  if (!client) return false;
  const ping = processSingleton("database-pings", () => perObject<Database, Pings>(() => ({})))(client);
  ping.current ??= client.$queryRaw`SELECT 1`
    .then(
      () => true,
      () => false,
    )
    .finally(() => {
      ping.current = undefined;
    });
  const { current } = ping;
  return withTimeout(timeoutMs, () => current).catch(() => false);
}
