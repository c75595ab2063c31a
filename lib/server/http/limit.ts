import type { Caller } from "#lib/accounts/keys/index";
import { clientSubject, countRequest, keySubject, type LimitAnswer, limitStore } from "#lib/accounts/limits/index";
import type { Clock } from "#lib/platform/clock";
import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";

type CountContext = { caller: Caller; clientAddress: () => string | null; clock: Clock; log: Log };

/** Counts a request on its caller's key, else on the client's address. Undefined where nothing limits it. */
export function countCall({ caller, clientAddress, clock, log }: CountContext): Promise<LimitAnswer | undefined> {
  const now = clock.now();
  const subject = caller.limitId === null ? clientSubject(clientAddress(), now) : keySubject(caller.limitId);
  return countRequest({ store: limitStore(), log }, { subject, limit: caller.plan.requestsPerDay, now });
}

/** The headers that tell a client of its limit. */
export function limitHeaders({ limit, remaining, resetAt }: LimitAnswer): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetAt.getTime() / 1000),
  };
}

/** What a client over its limit hears. */
export function limitError({ limit, resetAt }: LimitAnswer, now: Date): AppError {
  const seconds = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000));
  const message = `The ${limit} requests of today are used up. The limit resets at ${resetAt.toISOString()}; GET /api/v1/pricing shows the tiers with higher ones.`;
  return new AppError("rate_limited", message, { headers: { "Retry-After": String(seconds) } });
}
