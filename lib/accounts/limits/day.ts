import { dayMs } from "#lib/platform/time";

/** The UTC day of a moment, `YYYY-MM-DD`. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** The midnight UTC at which a moment's day ends. */
export function endOfDay(moment: Date): Date {
  return new Date((Math.floor(moment.getTime() / dayMs) + 1) * dayMs);
}
