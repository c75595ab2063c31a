import { dayMs, hourMs, minuteMs, secondMs } from "#lib/platform/time";

/** How far a time may be from what the clock did: it may be rounded to the hour, or that at which a suite started. */
const toleranceMs = hourMs;
/** Recordings whose times are as near to what the clock did, up to this, are played in their order. */
export const equalMs = minuteMs;
/** From the first to the last time zone. */
const zonesMs = 26 * hourMs;

/** Returns the time of a request as it is stored, with the offset of this machine's time zone: `2026-11-28T10:00:00+01:00`. */
export function formatSentAt(at: Date): string {
  const offsetMin = -at.getTimezoneOffset();
  const wall = new Date(at.getTime() + offsetMin * minuteMs).toISOString().slice(0, 19);
  const digits = [Math.trunc(Math.abs(offsetMin) / 60), Math.abs(offsetMin) % 60];
  return `${wall}${offsetMin < 0 ? "-" : "+"}${digits.map((each) => String(each).padStart(2, "0")).join(":")}`;
}

/** When a request was sent: between two times, and the offset of the time zone if it is known. */
type Sent = { fromMs: number; toMs: number; offsetMs: number | undefined };

/** A date and a time of day as a text has them, read as if they were UTC, and their offset; null for a local time. */
type Time = { wallMs: number; offsetMs: number | null };

const zone = /\s?(?:(?:GMT|UTC)?([+-])(\d{2}):?(\d{2})|Z|GMT|UTC)(?: \([^)]*\))?$/i;

function readTime(text: string): Time {
  if (/^\d+(?:\.\d+)?$/.test(text))
    return { wallMs: Number(text) * (/^\d{13}/.test(text) ? 1 : secondMs), offsetMs: 0 };
  const [suffix, sign, hours, minutes] = zone.exec(text) ?? [];
  const local = suffix === undefined ? text : text.slice(0, -suffix.length);
  const [, year, month, day, time, fraction = ""] =
    /^(\d{4})-?(\d{2})-?(\d{2})[T ]([\d:]+)(?:[.,](\d+))?$/i.exec(local) ?? [];
  const offsetMs = sign ? Number(`${sign}1`) * (Number(hours) * hourMs + Number(minutes) * minuteMs) : 0;
  const clock = time?.replace(/^(\d{2})(\d{2})(\d{2})$/, "$1:$2:$3");
  const written = clock
    ? `${year}-${month}-${day}T${clock}${fraction && `.${fraction}`}Z`
    : `${local.replace(/,|\bat\b/g, " ")} UTC`;
  return { wallMs: Date.parse(written), offsetMs: suffix === undefined ? null : offsetMs };
}

/** Whether only the day of a request is known. */
export const isDay = (sentAt: string) => /^\d{4}-\d{2}-\d{2}$/.test(sentAt);

function readSent(text: string | undefined): Sent | null {
  const atMs = Date.parse(text ?? "");
  if (text === undefined || Number.isNaN(atMs)) return null;
  const hasZone = /[+-]\d{2}:\d{2}$/.test(text);
  return {
    fromMs: atMs,
    toMs: isDay(text) ? atMs + dayMs : atMs,
    offsetMs: hasZone ? (readTime(text).offsetMs ?? undefined) : undefined,
  };
}

/** Whether a day begins, or its last second. */
const isMidnight = (wallMs: number) => (wallMs + secondMs) % dayMs <= secondMs;

/** Returns how far a time is from having stayed, or moved as the clock did, in milliseconds; Infinity if it did neither. */
function deviationOf(was: Time, is: Time, recorded: Sent, sent: Sent): number {
  const own = [recorded.offsetMs ?? sent.offsetMs ?? 0, sent.offsetMs ?? recorded.offsetMs ?? 0] as const;
  const isLocal = was.offsetMs === null || is.offsetMs === null;
  const written = isLocal ? [] : [[was.offsetMs ?? 0, is.offsetMs ?? 0] as const];
  const unknownMs = isLocal && recorded.offsetMs === undefined ? zonesMs : 0;
  // A local time is one of the machine's zone, or of UTC.
  const deviations = [[0, 0] as const, own, ...written].map(([before, now]) => {
    const [wasMs, isMs] = [was.wallMs - (was.offsetMs ?? before), is.wallMs - (is.offsetMs ?? now)];
    const movedMs = isMs - wasMs;
    if (Number.isNaN(movedMs)) return Infinity;
    const stayed = Math.abs(movedMs) <= toleranceMs ? Math.abs(movedMs) + 2 * equalMs : Infinity;
    const isMidnightInBoth = isMidnight(wasMs + before) && isMidnight(isMs + now);
    const isRounded = isMidnightInBoth || (movedMs + now - before) % dayMs === 0;
    const [early, round] = isRounded
      ? [toleranceMs, (atMs: number, offsetMs: number) => Math.floor((atMs + offsetMs) / dayMs) * dayMs - offsetMs]
      : [0, (atMs: number) => atMs];
    const leastMs = round(sent.fromMs - early, now) - round(recorded.toMs, before) - unknownMs;
    const mostMs = round(sent.toMs, now) - round(recorded.fromMs - early, before) + unknownMs;
    const offMs = Math.max(0, leastMs - movedMs, movedMs - mostMs);
    return Math.min(stayed, offMs <= (isRounded ? 0 : toleranceMs) ? offMs : Infinity);
  });
  return Math.min(...deviations);
}

/** The times that a request names, in one order for requests that differ in nothing else, and when it was sent, if known. */
export type TimedRequest = { times: readonly string[]; sentAt: string | undefined };

/**
 * Returns how far the times of a request are from those of a recorded one that have stayed, or moved as the clock did since
 * then, in milliseconds; Infinity if one did neither. If it is not known when one was sent, 0.
 */
export function compareTimes(recorded: TimedRequest, asked: TimedRequest): number {
  const [before, now] = [readSent(recorded.sentAt), readSent(asked.sentAt)];
  if (!before || !now) return 0;
  return asked.times.reduce((most, text, index) => {
    const was = recorded.times[index] ?? "";
    return was === text ? most : Math.max(most, deviationOf(readTime(was), readTime(text), before, now));
  }, 0);
}
