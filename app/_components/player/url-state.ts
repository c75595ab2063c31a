import { roundToMicroseconds } from "./player-timeline";

/** Speeds that the player offers; Infinity is `max`. */
export const speeds = [0.25, 0.5, 1, 2, 4, 8, 16, Number.POSITIVE_INFINITY] as const;

/** Formats a speed for a URL: `4`, `max`. */
export function formatSpeed(speed: number): string {
  return Number.isFinite(speed) ? String(speed) : "max";
}

/** Parses the speed in a URL; returns 1 for anything that the player does not offer. */
export function parseSpeed(text: unknown): number {
  return speeds.find((speed) => formatSpeed(speed) === text) ?? 1;
}

/** Returns the next higher or lower speed, or the same at the ends. */
export function stepSpeed(speed: number, step: 1 | -1): number {
  const index = speeds.indexOf(speed as (typeof speeds)[number]);
  return speeds[Math.min(speeds.length - 1, Math.max(0, index + step))] ?? 1;
}

/** Formats a position for a URL, in seconds, rounded up so that the chunk at that time has arrived. */
export function formatPosition(positionMs: number): string {
  return String(Math.ceil(positionMs) / 1_000);
}

/** Parses `?t=` in seconds to milliseconds, at most the timeline's duration; null if it is absent or malformed. */
export function parsePosition(text: unknown, durationMs: number): number | null {
  if (typeof text !== "string" || !/^\d{1,5}(\.\d{1,3})?$/.test(text)) return null;
  return Math.min(roundToMicroseconds(durationMs), Number(text) * 1_000);
}

/** Browsers throttle URL changes, so they wait until the pointer rests. */
const debounceMs = 200;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Writes the player's state into the URL, so that it can be shared: `?t=` in seconds and `?speed=`. */
export function writeUrlState({ positionMs, speed }: { positionMs: number; speed: number }): void {
  clearTimeout(timer);
  const replace = () => history.replaceState(history.state, "", urlOfState(location.href, positionMs, speed));
  timer = setTimeout(replace, debounceMs);
}

/** Returns the page's URL with a state of the player. */
export function urlOfState(page: string, positionMs: number, speed: number): URL {
  const url = new URL(page);
  url.searchParams.set("t", formatPosition(positionMs));
  if (speed === 1) url.searchParams.delete("speed");
  else url.searchParams.set("speed", formatSpeed(speed));
  return url;
}
