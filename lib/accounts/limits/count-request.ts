import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { unlimited } from "#lib/accounts/plans/index";
import type { Log } from "#lib/platform/log";
import { withTimeout } from "#lib/platform/with-timeout";
import { dayOf } from "./day";
import type { LimitStore, Taken } from "./store";

const mappedPrefix = "0:0:0:0:0:ffff:";

/** Returns the eight groups of an IPv6 address in the canonical form of the URL parser. */
function groupsOf(canonical: string): string[] {
  const [left = "", right] = canonical.split("::");
  const before = left.split(":").filter(Boolean);
  const after = right?.split(":").filter(Boolean) ?? [];
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}

function networkOfIPv6(address: string): string {
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const groups = groupsOf(hostname.slice(1, -1));
  if (!groups.join(":").startsWith(mappedPrefix)) return `${groups.slice(0, 4).join(":")}::/64`;
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Returns the network counted as one client: an IPv4 address, or the /64 network that one IPv6 customer gets. */
export function networkOf(address: string): string {
  if (isIP(address) === 6) return networkOfIPv6(address);
  return isIP(address) === 4 ? address : "unknown";
}

/** Returns the limit subject of a client without a key: a hash of its network and the day, so that no address is stored. */
export function clientSubject(address: string | null, now: Date): string {
  const text = `${dayOf(now)} ${networkOf(address ?? "")}`;
  return `address:${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
}

/** Returns the limit subject of an API key. */
export function keySubject(limitId: string): string {
  return `key:${limitId}`;
}

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
