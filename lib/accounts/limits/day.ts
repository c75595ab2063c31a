import { dayMs } from "#lib/platform/time";

/** Returns the UTC date of a time, `YYYY-MM-DD`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Returns the midnight UTC at which the day of a time ends. */
export function endOfDay(moment: Date): Date {
  return new Date((Math.floor(moment.getTime() / dayMs) + 1) * dayMs);
}
