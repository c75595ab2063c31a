import { unlimited } from "#lib/accounts/plans/index";
import type { Log } from "#lib/platform/log";
import { withTimeout } from "#lib/platform/with-timeout";
import type { LimitStore, Taken } from "./store";

/** What became of a counted request; `limit` is in requests a day. */
export type LimitAnswer = Taken & { limit: number };

type CountRequestInput = {
  /** `key:<limit id>` or `address:<hash>`. */
  subject: string;
  /** Requests a day; -1: unlimited. */
  limit: number;
  now: Date;
};

/** Longest wait for the store, in milliseconds: a request is rather served uncounted than kept waiting. */
const storeTimeoutMs = 1_000;

/** Stores that did not answer when they were last asked: an outage is one line in the log, not one for each request. */
const downStores = new WeakSet<LimitStore>();

/**
 * Counts a request in the day of its subject. Undefined where nothing limits it: with an unlimited plan, without a
 * store, and while the store does not answer, which the log says once.
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
