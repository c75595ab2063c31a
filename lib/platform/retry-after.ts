import { dayMs } from "./time";

/** Maximum wait that is accepted from a server. */
const maxRetryAfterMs = dayMs;

/** Parses an HTTP date, which starts with a weekday. Other formats that JavaScript accepts are rejected. */
function dateOf(value: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value) ? Date.parse(value) : Number.NaN;
}

/**
 * Parses a `Retry-After` header, which is seconds or a date (RFC 9110). Returns milliseconds from now, at most 24 hours;
 * null if it is not valid.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const value = header?.trim() ?? "";
  const waitMs = /^\d{1,15}$/.test(value) ? Number(value) * 1_000 : dateOf(value) - now.getTime();
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), maxRetryAfterMs);
}
