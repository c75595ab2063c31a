import { createHash } from "node:crypto";
import { networkOf } from "#lib/platform/client-slots";
import { dayMs } from "#lib/platform/time";

/** Returns the UTC date of a time, `YYYY-MM-DD`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Returns the midnight UTC at which the day of a time ends. */
export function endOfDay(moment: Date): Date {
  return new Date((Math.floor(moment.getTime() / dayMs) + 1) * dayMs);
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
