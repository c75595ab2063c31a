import { PrismaPg } from "@prisma/adapter-pg";
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from "@prisma/driver-adapter-utils";
import { type ClientConfig, Pool, type PoolConfig } from "pg";
import { TimeoutError, withTimeout } from "#lib/platform/with-timeout";
import { UtcClient } from "./postgres-connection";
import { DatabaseUnavailableError, isUnavailable } from "./unavailable";

/** How pg names a query that exceeded `query_timeout`. The error has no code. */
const queryTimeoutMessage = "Query read timeout";
/** The server cancels a statement shortly before the client gives up on it, so that the connection can be kept. */
const serverTimeoutShare = 0.9;

/** A connection that closes when a query times out: the next one, such as ROLLBACK, would wait behind it. */
class BoundedClient extends UtcClient {
  constructor(settings?: ClientConfig) {
    super(settings);
    const query = this.query.bind(this) as (...values: unknown[]) => unknown;
    this.query = ((...values: unknown[]) => {
      const result = query(...values);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: Error) => {
        if (error.message === queryTimeoutMessage) this.end().catch(() => undefined);
        throw error;
      });
    }) as typeof this.query;
  }
}

type BoundedSettings = Omit<
  PoolConfig,
  "connectionTimeoutMillis" | "query_timeout" | "statement_timeout" | "Client"
> & {
  /** Maximum time in milliseconds for one statement, including the wait for a connection. */
  timeoutMs: number;
};

/** Returns a pool whose statements and connections have time limits. */
export function boundedPool({ timeoutMs, ...settings }: BoundedSettings): Pool {
  return new Pool({
    ...settings,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: Math.ceil(timeoutMs * serverTimeoutShare),
    Client: BoundedClient,
  });
}

/**
 * Returns adapter-pg over the current bounded pool, which the caller ends. A statement that exceeds the limits,
 * and one that finds no working connection, throws DatabaseUnavailableError.
 */
export function boundedAdapter(currentPool: () => Pool, timeoutMs: number): SqlDriverAdapterFactory {
  const { provider, adapterName } = new PrismaPg(currentPool());
  return {
    provider,
    adapterName,
    connect: async () => {
      const pool = currentPool();
      return boundOperations(await new PrismaPg(pool).connect(), pool, timeoutMs);
    },
  };
}

type Row = Record<string, unknown>;

/** SQL with its values; several statements only without values. */
export type Statement = { text: string; values?: unknown[] };

/**
 * Runs statements on a bounded pool, outside of Prisma, and returns their rows. Throws DatabaseUnavailableError as the
 * adapter does.
 */
export async function queryPool(pool: Pool, timeoutMs: number, query: Statement): Promise<Row[]> {
  const run = () => pool.query<Row>(query);
  const results = await explained(() => withTimeout(timeoutMs, () => withoutRejectedParameter(pool, run)));
  // Several statements without values have several results, which pg's types leave out.
  return [results].flat().flatMap(({ rows }) => rows);
}

/** Runs a statement, and returns its rows. */
export type DirectQuery = (query: Statement) => Promise<Row[]>;

/**
 * Runs statements of a bounded pool in a transaction, outside of Prisma. Rolls back if one of them or `work` throws. Throws
 * DatabaseUnavailableError as the adapter does.
 */
export async function transactPool<T>(pool: Pool, work: (query: DirectQuery) => Promise<T>): Promise<T> {
  const connection = await explained(() => withoutRejectedParameter(pool, () => pool.connect()));
  // The statement rejects too; without a listener, a broken connection would end the process.
  const ignore = () => undefined;
  connection.on("error", ignore);
  const query: DirectQuery = (given) => explained(async () => (await connection.query<Row>(given)).rows);
  let isBroken = false;
  try {
    await query({ text: "BEGIN" });
    const result = await work(query);
    await query({ text: "COMMIT" });
    return result;
  } catch (error) {
    await query({ text: "ROLLBACK" }).catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    connection.off("error", ignore);
    connection.release(isBroken);
  }
}

/** A connection pooler may reject the parameter, which only PostgreSQL itself has to know. */
function isParameterRejected(error: unknown): boolean {
  return error instanceof Error && /startup parameter.*statement_timeout/.test(error.message);
}

type Operations = Pick<Transaction, "queryRaw" | "executeRaw">;
type Run = <T>(operation: () => Promise<T>) => Promise<T>;

/** Runs an operation. Throws DatabaseUnavailableError for errors that mean it. */
const explained: Run = (operation) =>
  operation().catch((error: unknown) => {
    throw error instanceof TimeoutError || isUnavailable(error) ? new DatabaseUnavailableError(error) : error;
  });

function wrapOperations<T extends Operations>(target: T, run: Run): T {
  const queryRaw = target.queryRaw.bind(target);
  const executeRaw = target.executeRaw.bind(target);
  return Object.assign(target, {
    queryRaw: (query: Parameters<typeof queryRaw>[0]) => run(() => queryRaw(query)),
    executeRaw: (query: Parameters<typeof executeRaw>[0]) => run(() => executeRaw(query)),
  });
}

/** Rolls back a transaction that started too late. */
async function discard(transaction: Transaction): Promise<void> {
  try {
    await transaction.executeRaw({ sql: "ROLLBACK", args: [], argTypes: [] });
  } finally {
    await transaction.rollback();
  }
}

/** Repeats an operation without the parameter, if its connection was rejected because of it. */
function withoutRejectedParameter<T>(pool: Pool, operation: () => Promise<T>): Promise<T> {
  return operation().catch((error) => {
    if (!isParameterRejected(error)) throw error;
    pool.options.statement_timeout = false;
    return operation();
  });
}

function boundOperations(adapter: SqlDriverAdapter, pool: Pool, timeoutMs: number): SqlDriverAdapter {
  // A connection of a transaction has no wait, and pg bounds its statements.
  const bounded: Run = (operation) =>
    explained(() => withTimeout(timeoutMs, () => withoutRejectedParameter(pool, operation)));
  const startTransaction = adapter.startTransaction.bind(adapter);
  wrapOperations(adapter, bounded);
  return Object.assign(adapter, {
    startTransaction: (isolationLevel: Parameters<typeof startTransaction>[0]) => {
      let isLate = false;
      const start = async () => {
        const transaction = await startTransaction(isolationLevel);
        if (isLate) await discard(transaction);
        return wrapOperations(transaction, explained);
      };
      return bounded(start).catch((error) => {
        isLate = true;
        throw error;
      });
    },
  });
}
