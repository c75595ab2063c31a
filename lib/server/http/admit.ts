import { anonymousCaller, type Caller, verifyKey } from "#lib/accounts/keys/index";
import {
  clientSubject,
  countInMinute,
  keySubject,
  type LimitAnswer,
  maxManagedPerMinute,
  requestCounter,
} from "#lib/accounts/limits/index";
import { reachesTier } from "#lib/accounts/plans/index";
import type { Endpoint } from "#lib/contract/endpoint";
import type { Clock } from "#lib/platform/clock";
import { commandLine } from "#lib/platform/command-line";
import { config } from "#lib/platform/config";
import { requireDatabase } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { isLoopbackAddress, isLoopbackHost } from "#lib/platform/loopback";
import { observer } from "#lib/platform/observer";
import type { RequestContext } from "./context";

type CountContext = { caller: Caller; clientAddress: () => string | null; clock: Clock };

/** Counts a request against its key, or without a key against the client's address. Returns undefined if it is not limited. */
export function countCall({ caller, clientAddress, clock }: CountContext): Promise<LimitAnswer | undefined> {
  const now = clock.now();
  const { limitId, plan } = caller;
  if (limitId !== null)
    return requestCounter().count({ subject: keySubject(limitId), limit: plan.requestsPerDay, now });
  const { REQUESTS_PER_DAY_WITHOUT_KEY: limit = plan.requestsPerDay } = config();
  return requestCounter().count({ subject: clientSubject(clientAddress(), now), limit, now });
}

/** Returns the `X-RateLimit-*` headers. */
export function limitHeaders({ limit, remaining, resetAt }: LimitAnswer): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetAt.getTime() / 1000),
  };
}

/**
 * Returns the error for a client over its limit, once per refused request. A client of a public server can have a loopback
 * address too, that of a proxy.
 */
export function limitError(
  { limit, resetAt }: LimitAnswer,
  context: CountContext & Pick<RequestContext, "origin">,
): AppError {
  observer()?.refused(context.caller.limitId === null ? "address" : "key");
  const seconds = Math.max(1, Math.ceil((resetAt.getTime() - context.clock.now().getTime()) / 1000));
  const isOwnMachine =
    isLoopbackAddress(context.clientAddress() ?? "") && isLoopbackHost(new URL(context.origin).hostname);
  const isLocal = context.caller.limitId === null && isOwnMachine;
  const advice = isLocal
    ? `For a higher limit, create a key: ${commandLine("keys create --tier pro")}`
    : "GET /api/v1/pricing lists the tiers with higher limits.";
  const message = `Today's ${limit} requests are used up. The limit resets at ${resetAt.toISOString()}. ${advice}`;
  return new AppError("rate_limited", message, { headers: { "Retry-After": String(seconds) } });
}

/** Outcome of authentication and rate limiting: the caller, the limit's headers, and the error if the request is refused. */
type Admission = { caller: Caller; headers: Record<string, string>; refusal: AppError | undefined };

type Identity = { caller: Caller; refusal?: AppError };

async function identify({ auth }: Endpoint, context: RequestContext, authorization: string | null): Promise<Identity> {
  if (authorization === null) {
    if (auth !== "required") return { caller: anonymousCaller };
    const message = "This endpoint needs an API key. Send it as the header Authorization: Bearer <your API key>.";
    return { caller: anonymousCaller, refusal: new AppError("unauthorized", message) };
  }
  try {
    const { clock } = context;
    const keys = {
      get database() {
        return requireDatabase();
      },
      clock,
    };
    return { caller: await verifyKey(keys, authorization) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unauthorized") throw error;
    return { caller: anonymousCaller, refusal: error };
  }
}

function refuseTier({ minimumTier }: Endpoint, { tier }: Caller): AppError | undefined {
  if (!minimumTier || reachesTier(tier, minimumTier.tier)) return undefined;
  const message = `This endpoint needs a key of the ${minimumTier.tier} tier or a higher one. GET /api/v1/pricing lists the tiers.`;
  return new AppError(minimumTier.code, message);
}

/**
 * Checks a request's key, limit and tier, in this order. A request with an invalid key counts against the client's
 * address on every endpoint, so that guessing keys is limited too.
 */
export async function admit(
  endpoint: Endpoint,
  context: RequestContext,
  authorization: string | null,
): Promise<Admission> {
  const { caller, refusal } = await identify(endpoint, context, authorization);
  const { clientAddress, clock } = context;
  const hasInvalidKey = refusal !== undefined && authorization !== null;
  const count = endpoint.limited || hasInvalidKey ? await countCall({ caller, clientAddress, clock }) : undefined;
  const headers = count ? limitHeaders(count) : {};
  if (count && !count.allowed && endpoint.servedAtLimit && caller.accountId !== null) {
    const done = `used up today's requests, and managed its keys or payment ${maxManagedPerMinute} times`;
    const counted = { action: "manages", accountId: caller.accountId, limit: maxManagedPerMinute, done };
    await countInMinute(requireDatabase(), { ...counted, now: clock.now() });
  } else if (count && !count.allowed) {
    const { origin } = context;
    const error = limitError(count, { caller, clientAddress, clock, origin });
    const { code, message, headers: retry } = error;
    // What is wrong with the key is the reason why the address's limit counts.
    const explained = hasInvalidKey ? new AppError(code, `${refusal.message} ${message}`, { headers: retry }) : error;
    return { caller, headers, refusal: explained };
  }
  return { caller, headers, refusal: refusal ?? refuseTier(endpoint, caller) };
}
