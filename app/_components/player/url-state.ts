import { positionText, speedText } from "./speeds";

/** Browsers refuse an address that changes with every move of the pointer. */
const restMs = 200;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Puts the player's state into the address, so that it can be shared and reloaded: `?t=` seconds and `?speed=`. */
export function writeState({ positionMs, speed }: { positionMs: number; speed: number }): void {
  clearTimeout(timer);
  timer = setTimeout(() => replaceAddress(positionMs, speed), restMs);
}

function replaceAddress(positionMs: number, speed: number): void {
  const url = new URL(location.href);
  url.searchParams.set("t", positionText(positionMs));
  if (speed === 1) url.searchParams.delete("speed");
  else url.searchParams.set("speed", speedText(speed));
  history.replaceState(history.state, "", url);
}
