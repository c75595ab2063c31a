import { positionText, speedText } from "./speeds";

/** Browsers throttle URL changes, so they wait until the pointer rests. */
const debounceMs = 200;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Writes the player's state into the URL, so that it can be shared: `?t=` in seconds and `?speed=`. */
export function writeUrlState({ positionMs, speed }: { positionMs: number; speed: number }): void {
  clearTimeout(timer);
  timer = setTimeout(() => replaceUrl(positionMs, speed), debounceMs);
}

function replaceUrl(positionMs: number, speed: number): void {
  const url = new URL(location.href);
  url.searchParams.set("t", positionText(positionMs));
  if (speed === 1) url.searchParams.delete("speed");
  else url.searchParams.set("speed", speedText(speed));
  history.replaceState(history.state, "", url);
}
