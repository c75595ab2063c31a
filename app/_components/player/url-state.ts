import { formatSpeed } from "./speeds";

/** Formats a position for a URL, in seconds, rounded up so that the chunk at that time has arrived. */
export function formatPosition(positionMs: number): string {
  return String(Math.ceil(positionMs) / 1_000);
}

/** Parses `?t=` in seconds to milliseconds, at most the duration; null if it is absent or malformed. */
export function parsePosition(text: unknown, durationMs: number): number | null {
  if (typeof text !== "string" || !/^\d{1,5}(\.\d{1,3})?$/.test(text)) return null;
  return Math.min(durationMs, Number(text) * 1_000);
}

/** Browsers throttle URL changes, so they wait until the pointer rests. */
const debounceMs = 200;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Writes the player's state into the URL, so that it can be shared: `?t=` in seconds and `?speed=`. */
export function writeUrlState({ positionMs, speed }: { positionMs: number; speed: number }): void {
  clearTimeout(timer);
  timer = setTimeout(() => replaceUrl(positionMs, speed), debounceMs);
}

/** Returns the page's URL with a state of the player. */
export function urlOfState(page: string, positionMs: number, speed: number): URL {
  const url = new URL(page);
  url.searchParams.set("t", formatPosition(positionMs));
  if (speed === 1) url.searchParams.delete("speed");
  else url.searchParams.set("speed", formatSpeed(speed));
  return url;
}

function replaceUrl(positionMs: number, speed: number): void {
  history.replaceState(history.state, "", urlOfState(location.href, positionMs, speed));
}
