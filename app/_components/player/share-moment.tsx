import type { RefObject } from "react";
import { CopyButton } from "../copy-button";
import { urlOfState } from "./url-state";

/** Returns the address of the page at a position, paused. */
function shareUrl(positionMs: number, speed: number): string {
  const url = urlOfState(location.href, positionMs, speed);
  url.searchParams.delete("autoplay");
  url.hash = "";
  return url.href;
}

/** Copies the address of the page at the playhead's position. */
export function ShareMoment({ position, speed }: { position: RefObject<number>; speed: number }) {
  return <CopyButton text={() => shareUrl(position.current, speed)} label="to this moment" idleText="Copy link" />;
}
