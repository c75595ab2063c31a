import { dayMs, hourMs, minuteMs } from "#lib/platform/time";
import { formatDateTime, formatDay } from "./format";

const steps = [
  { unit: "day", ms: dayMs },
  { unit: "hour", ms: hourMs },
  { unit: "minute", ms: minuteMs },
] as const;
/** Older times are shown as a date. */
const relativeMs = 7 * dayMs;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Formats a time relative to `now`: `2 hours ago`, `3 days ago`, `21 Nov 2026`. */
function formatRelativeTime(at: Date, now: Date): string {
  const ageMs = now.getTime() - at.getTime();
  if (Math.abs(ageMs) >= relativeMs) return formatDay(at);
  const step = steps.find(({ ms }) => Math.abs(ageMs) >= ms);
  return step ? relative.format(-Math.round(ageMs / step.ms), step.unit) : "just now";
}

type Props = {
  /** ISO 8601, or a Date. */
  at: string | Date;
  /** The context's clock: `context.clock.now()`. */
  now: Date;
};

/** A relative time with the exact time as its title. Server components only, because a browser's clock can differ. */
export function RelativeTime({ at, now }: Props) {
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={formatDateTime(moment)}>
      {formatRelativeTime(moment, now)}
    </time>
  );
}
