import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import type { LimitStore } from "./store";

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
