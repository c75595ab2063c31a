import { unlimited } from "#lib/accounts/plans/index";
import type { Log } from "#lib/platform/log";
import { withTimeout } from "#lib/platform/with-timeout";
import type { LimitStore, Taken } from "./store";

/** Result of counting a request; `limit` is in requests per day. */
export type LimitAnswer = Taken & { limit: number };

type CountRequestInput = {
  /** `key:<limit id>` or `address:<hash>`. */
  subject: string;
  /** Requests per day; -1: unlimited. */
  limit: number;
  now: Date;
};

/** Timeout of the store, in milliseconds; after it, the request is served without being counted. */
const storeTimeoutMs = 1_000;

/** Stores whose last call failed, so that an outage is logged once and not on each request. */
const downStores = new WeakSet<LimitStore>();

/**
 * Counts a request against the daily limit of its subject. Returns undefined if it is not limited: with an unlimited
 * plan, without a store, and while the store does not respond, which is logged once.
 */
export async function countRequest(
  { store, log, timeoutMs = storeTimeoutMs }: { store: LimitStore | undefined; log: Log; timeoutMs?: number },
  { subject, limit, now }: CountRequestInput,
): Promise<LimitAnswer | undefined> {
  if (limit === unlimited || !store) return undefined;
  try {
    const taken = await withTimeout(timeoutMs, () => store.take(subject, limit, now));
    if (downStores.delete(store)) log.info({ store: store.kind }, "requests are counted again");
    return { ...taken, limit };
  } catch (error) {
    if (!downStores.has(store))
      log.warn({ err: error, store: store.kind }, "requests are served without being counted");
    downStores.add(store);
    return undefined;
  }
}
