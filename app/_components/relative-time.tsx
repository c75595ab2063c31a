import { minuteMs } from "#lib/platform/time";

const steps = [
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: minuteMs },
] as const;
/** Beyond a week a date says more than a number of days. */
const relativeMs = 7 * 86_400_000;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

/** A moment in words, as seen from `now`: `2 hours ago`, `3 days ago`, `21 Nov 2026`. */
export function describeMoment(at: Date, now: Date): string {
  const ageMs = now.getTime() - at.getTime();
  if (Math.abs(ageMs) >= relativeMs) return dates.format(at);
  const step = steps.find(({ ms }) => Math.abs(ageMs) >= ms);
  return step ? words.format(-Math.round(ageMs / step.ms), step.unit) : "just now";
}

type Props = {
  /** ISO 8601, or a Date. */
  at: string | Date;
  /** The context's clock: `context.clock.now()`. */
  now: Date;
};

/** A moment, written by the server; the exact one is its title. Not for client components: their clock is another. */
export function RelativeTime({ at, now }: Props) {
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={`${moments.format(moment)} UTC`}>
      {describeMoment(moment, now)}
    </time>
  );
}
