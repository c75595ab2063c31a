import { dayMs, hourMs, minuteMs } from "#lib/platform/time";
import type { DigestFrequency } from "./schemas";

/** Hour of the day in UTC at which daily and weekly digests are due. */
const dueHour = 7;
/** Time between two mails of a digest with the frequency `each`. */
const eachIntervalMs = 10 * minuteMs;
/** Day 0 of Unix time was a Thursday, so that day 4 was the first Monday. */
const firstMonday = 4;

/** Returns when the next mail of a digest is due, after a mail or after a time at which nothing had changed. */
export function nextDueAt(frequency: DigestFrequency, now: Date): Date {
  if (frequency === "each") return new Date(now.getTime() + eachIntervalMs);
  const stepMs = frequency === "daily" ? dayMs : 7 * dayMs;
  const offsetMs = dueHour * hourMs + (frequency === "weekly" ? firstMonday * dayMs : 0);
  return new Date((Math.floor((now.getTime() - offsetMs) / stepMs) + 1) * stepMs + offsetMs);
}

/** Returns when the first mail of a digest is due that starts now, or whose frequency changes now. */
export function firstDueAt(frequency: DigestFrequency, now: Date): Date {
  return frequency === "each" ? now : nextDueAt(frequency, now);
}
