import { randomUUID } from "node:crypto";
import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import pLimit from "p-limit";
import { type Config, config } from "#lib/platform/config";
import { type Database, database, queryDirectly } from "#lib/platform/database/index";
import { log } from "#lib/platform/log";
import { mergeCalls } from "#lib/platform/merge-calls";
import { dayMs } from "#lib/platform/time";
import { dayOf, endOfDay } from "./subjects";

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

/**
 * A store that counts in the table `limit_windows`, atomically in one statement. Concurrent requests of a subject are
 * merged, so that a client never waits for its own row on more than one connection.
 */
export function databaseStore(client: Database): LimitStore {
  const merge = mergeCalls<number>();

  async function add(subject: string, day: string, size: number): Promise<number> {
    const [row] = await queryDirectly(client, {
      text: `INSERT INTO limit_windows (subject, day, count) VALUES ($1, $2::date, $3::int)
        ON CONFLICT (subject, day) DO UPDATE SET count = LEAST(limit_windows.count::bigint + $3::int, 2147483647)
        RETURNING count`,
      values: [subject, day, size],
    });
    return Number(row?.count);
  }

  return {
    kind: "database",
    async take(subject, limit, now) {
      const day = dayOf(now);
      const { result, position, size } = await merge(`${day} ${subject}`, (count) => add(subject, day, count));
      const count = result - size + position;
      return { allowed: count <= limit, remaining: Math.max(0, limit - count), resetAt: endOfDay(now) };
    },
  };
}

/** Deletes at most `limit` windows of days before a date; returns how many. */
export async function pruneLimitWindows(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM limit_windows WHERE (subject, day) IN (
      SELECT subject, day FROM limit_windows WHERE day < ${dayOf(before)}::date LIMIT ${limit}
    )`;
}

type RedisSettings = { url: string; token: string; timeoutMs: number };

/** Prefix of every key in Redis. */
const prefix = "tapedeck:limits";
/** How long after `timeoutMs`, when Redis counts as down, a call to it is aborted, in milliseconds. */
const abortDelayMs = 30_000;
/** Maximum concurrent calls to Redis; the others wait in line. */
const maxRedisCalls = 32;

/**
 * Lets the scripts of @upstash/ratelimit run on any Redis. They have a flag that spares Upstash's own server a lock of the whole
 * database, and that others refuse: these get the script without it, and know no hash of it.
 */
function onAnyRedis(redis: Redis): Redis {
  let isRefused = false;
  const evalPlain = (script: string, keys: string[], args: unknown[]) =>
    redis.eval(script.replace(/^#!.*\n/, ""), keys, args);
  return Object.assign(Object.create(redis) as Redis, {
    evalsha: async (hash: string, keys: string[], args: unknown[]) => {
      if (isRefused) throw new Error("NOSCRIPT");
      return redis.evalsha(hash, keys, args);
    },
    eval: async (script: string, keys: string[], args: unknown[]) => {
      if (isRefused) return evalPlain(script, keys, args);
      return redis.eval(script, keys, args).catch((error: Error) => {
        if (!error.message.includes("script shebang")) throw error;
        isRefused = true;
        return evalPlain(script, keys, args);
      });
    },
  });
}

/** The client does not retry calls; the counter does. Nothing is cached in the process. */
function connect({ url, token, timeoutMs }: RedisSettings): Redis {
  const signal = () => AbortSignal.timeout(timeoutMs + abortDelayMs);
  return onAnyRedis(new Redis({ url, token, retry: { retries: 0 }, signal, enableTelemetry: false }));
}

function createLimiter(redis: Redis, limit: number): Ratelimit {
  return new Ratelimit({
    redis,
    prefix,
    limiter: Ratelimit.fixedWindow(limit, "1 d"),
    ephemeralCache: false,
    analytics: false,
    // The library treats its own timeout as a success with a limit of 0.
    timeout: 0,
  });
}

/** A store that counts in Redis, by the day of this machine's clock; the given time is ignored. */
function redisStore(settings: RedisSettings): LimitStore {
  const redis = connect(settings);
  const queue = pLimit(maxRedisCalls);
  /** One limiter per limit; there are as many limits as tiers. */
  const limiters = new Map<number, Ratelimit>();
  return {
    kind: "redis",
    async take(subject, limit) {
      const limiter = limiters.get(limit) ?? createLimiter(redis, limit);
      limiters.set(limit, limiter);
      const { success, remaining, reset } = await queue(() => limiter.limit(subject));
      return { allowed: success, remaining, resetAt: new Date(reset) };
    },
  };
}

/** Counts in Redis as its store does, and deletes the count, which ends with the day. Throws if one of both fails. */
export async function tryRedis(settings: RedisSettings): Promise<void> {
  const redis = connect(settings);
  const subject = `doctor:${randomUUID()}`;
  const { reset } = await createLimiter(redis, 1).limit(subject);
  await redis.del(`${prefix}:${subject}:${reset / dayMs - 1}`);
}

/** Returns the stores of a configuration, the first choice first: Redis, then the database. */
export function limitStores(settings: Config, client: Database | undefined): LimitStore[] {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token, LIMIT_STORE_TIMEOUT_MS: timeoutMs } = settings;
  return [...(url && token ? [redisStore({ url, token, timeoutMs })] : []), ...(client ? [databaseStore(client)] : [])];
}

/** Returns the stores of this process. Logs a configuration in which requests are not counted as intended. */
export function configuredLimitStores(): LimitStore[] {
  const stores = limitStores(config(), database());
  if (stores.length === 0) log().warn("neither Redis nor a database is configured; requests are not counted");
  return stores;
}
