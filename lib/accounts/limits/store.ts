import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { type Config, config } from "#lib/platform/config";
import { type Database, database } from "#lib/platform/database/index";
import { log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { dayOf, endOfDay } from "./day";

/** What became of a request that was counted. */
export type Taken = {
  allowed: boolean;
  /** Requests that are left in the UTC day. */
  remaining: number;
  /** The midnight at which the day ends. */
  resetAt: Date;
};

/** Where requests are counted. Every instance of the service asks the same one, and no count is ever lost. */
export type LimitStore = {
  kind: "database" | "redis";
  /** Counts a request, also one that is over the limit. Throws where the store does not answer. */
  take(subject: string, limit: number, now: Date): Promise<Taken>;
};

/** Counts in `limit_windows`: one statement, so that of any number of requests at once each gets a number of its own. */
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

/** Removes windows of days before a date's, so many at most; gives how many it removed. */
export async function deleteWindows(client: Database, before: Date, limit: number): Promise<number> {
  return client.$executeRaw`
    DELETE FROM limit_windows WHERE (subject, day) IN (
      SELECT subject, day FROM limit_windows WHERE day < ${dayOf(before)}::date LIMIT ${limit}
    )`;
}

export type RedisSettings = { url: string; token: string };

/** What every key in Redis begins with. */
const prefix = "tapedeck:limits";
/** When a request that Redis left unanswered is given up, in milliseconds: long after nobody waits for it any more. */
const abandonAfterMs = 5_000;

/**
 * Counts in Upstash Redis, by the day of this machine's clock; the given time is not asked. Nothing is tried twice,
 * since a request that was counted but not answered would count double, and nothing is remembered in the process.
 */
export function redisStore({ url, token }: RedisSettings): LimitStore {
  const signal = () => AbortSignal.timeout(abandonAfterMs);
  const redis = new Redis({ url, token, retry: { retries: 0 }, signal, enableTelemetry: false });
  /** One for each limit, of which there are as many as tiers. */
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
      // Its own time-out would pass for an answer, with a limit of 0; countRequest has the deadline.
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

/** The store that the configuration chooses; undefined where neither Redis nor a database is configured. */
export function configuredLimitStore(settings: Config, client: Database | undefined): LimitStore | undefined {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = settings;
  if (url && token) return redisStore({ url, token });
  return client && databaseStore(client);
}

function openStore(): { store: LimitStore | undefined } {
  const settings = config();
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = settings;
  if (Boolean(url) !== Boolean(token)) {
    log().warn("of UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN only one is set; Redis is not used");
  }
  const store = configuredLimitStore(settings, database());
  if (!store) log().warn("neither Redis nor a database is configured; requests are not counted");
  return { store };
}

/** The process's store. */
export function limitStore(): LimitStore | undefined {
  return processSingleton("limit-store", openStore).store;
}

/** Most windows that one call removes. */
const pruneLimit = 10_000;

/** Removes windows that ended before a date's day, ten thousand at most; gives how many it removed. */
export async function pruneLimitWindows(
  { database: client }: { database: Database },
  { before, limit = pruneLimit }: { before: Date; limit?: number },
): Promise<number> {
  return deleteWindows(client, before, limit);
}
