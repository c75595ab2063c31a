import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { type Config, config } from "#lib/platform/config";
import { type Database, database } from "#lib/platform/database/index";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { dayOf, endOfDay } from "./day";

/** Result of counting a request in a store. */
export type Taken = {
  allowed: boolean;
  /** Requests left in the UTC day. */
  remaining: number;
  /** The midnight at which the day ends. */
  resetAt: Date;
};

/** Counts requests. All instances of the service share one store, and it never loses a count. */
export type LimitStore = {
  kind: "database" | "redis";
  /** Counts a request, even if it is over the limit. Throws if the store does not respond. */
  take(subject: string, limit: number, now: Date): Promise<Taken>;
};

/** A store that counts in the table `limit_windows`, atomically in one statement per request. */
export function databaseStore(client: Database): LimitStore {
  return {
    kind: "database",
    async take(subject, limit, now) {
      const rows = await client.$queryRaw<[{ count: number }]>`
        INSERT INTO limit_windows (subject, day, count) VALUES (${subject}, ${dayOf(now)}::date, 1)
        ON CONFLICT (subject, day) DO UPDATE SET count = LEAST(limit_windows.count::bigint + 1, 2147483647)
        RETURNING count`;
      const { count } = rows[0];
      return { allowed: count <= limit, remaining: Math.max(0, limit - count), resetAt: endOfDay(now) };
    },
  };
}

/** Deletes at most `limit` windows from days before a date; returns how many. */
async function deleteWindows(client: Database, before: Date, limit: number): Promise<number> {
  return client.$executeRaw`
    DELETE FROM limit_windows WHERE (subject, day) IN (
      SELECT subject, day FROM limit_windows WHERE day < ${dayOf(before)}::date LIMIT ${limit}
    )`;
}

type RedisSettings = { url: string; token: string; timeoutMs: number };

/** Prefix of every key in Redis. */
const prefix = "tapedeck:limits";
/** Time after the timeout of `countRequest` at which a call to Redis is aborted to free its resources, in milliseconds. */
const abortDelayMs = 4_000;

/**
 * A store that counts in Upstash Redis, by the day of this machine's clock; the given time is ignored. Calls are not
 * retried, because a request that was counted without a response would be counted twice. Nothing is cached in the process.
 */
function redisStore({ url, token, timeoutMs }: RedisSettings): LimitStore {
  const signal = () => AbortSignal.timeout(timeoutMs + abortDelayMs);
  const redis = new Redis({ url, token, retry: { retries: 0 }, signal, enableTelemetry: false });
  /** One limiter per limit; there are as many limits as tiers. */
  const limiters = new Map<number, Ratelimit>();

  function limiterOf(limit: number): Ratelimit {
    const known = limiters.get(limit);
    if (known) return known;
    const limiter = new Ratelimit({
      redis,
      prefix,
      limiter: Ratelimit.fixedWindow(limit, "1 d"),
      ephemeralCache: false,
      analytics: false,
      // The library treats its own timeout as a success with a limit of 0; countRequest enforces the timeout instead.
      timeout: 0,
    });
    limiters.set(limit, limiter);
    return limiter;
  }

  return {
    kind: "redis",
    async take(subject, limit) {
      const { success, remaining, reset } = await limiterOf(limit).limit(subject);
      return { allowed: success, remaining, resetAt: new Date(reset) };
    },
  };
}

/** Returns the configured store; undefined if neither Redis nor a database is configured. */
export function configuredLimitStore(settings: Config, client: Database | undefined): LimitStore | undefined {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token, LIMIT_STORE_TIMEOUT_MS: timeoutMs } = settings;
  if (url && token) return redisStore({ url, token, timeoutMs });
  return client && databaseStore(client);
}

function openStore(): { store: LimitStore | undefined } {
  const settings = config();
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = settings;
  if (Boolean(url) !== Boolean(token)) {
    log().warn("only one of UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN is set; Redis is not used");
  }
  const store = configuredLimitStore(settings, database());
  if (!store) log().warn("neither Redis nor a database is configured; requests are not counted");
  return { store };
}

/** Returns the process's store. */
export function limitStore(): LimitStore | undefined {
  return processSingleton("limit-store", openStore).store;
}

/** Most windows deleted by one call. */
const pruneLimit = 10_000;

/** Deletes windows of days before a date, at most 10,000 per call; returns how many. */
export async function pruneLimitWindows(
  { database: client }: { database: Database },
  { before, limit = pruneLimit }: { before: Date; limit?: number },
): Promise<number> {
  return deleteWindows(client, before, limit);
}
