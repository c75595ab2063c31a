import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { dayMs } from "#lib/platform/time";

/** Returns the UTC date of a time, `YYYY-MM-DD`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Returns the midnight UTC at which the day of a time ends. */
export function endOfDay(moment: Date): Date {
  return new Date((Math.floor(moment.getTime() / dayMs) + 1) * dayMs);
}

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
