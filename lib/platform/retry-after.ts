/** Longest wait that a server can ask for. */
const maxRetryAfterMs = 24 * 60 * 60 * 1_000;

/** HTTP's dates name their weekday; what else JavaScript takes for a date does not count. */
function dateOf(value: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value) ? Date.parse(value) : Number.NaN;
}

/** A `Retry-After` header, seconds or a date (RFC 9110), in milliseconds from now, 24 h at most; null for anything else. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const value = header?.trim() ?? "";
  const waitMs = /^\d{1,15}$/.test(value) ? Number(value) * 1_000 : dateOf(value) - now.getTime();
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), maxRetryAfterMs);
}
