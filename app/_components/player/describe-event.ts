import type { Provider } from "#lib/replay/providers/browser";
import type { PlayerEvent } from "./player-event";

/** Describes an event in one line: what it adds to the answer, else its name and data. */
export function describeEvent(
  { readDelta }: Pick<Provider, "readDelta">,
  { event, data, json }: Pick<PlayerEvent, "event" | "data" | "json">,
): string {
  const delta = json && readDelta(json);
  if (!delta) return event === "message" ? data : `${event} ${data}`;
  const { kind, name, text } = delta;
  return [kind, name, name !== undefined && text === "" ? undefined : JSON.stringify(text)]
    .filter((word) => word !== undefined)
    .join(" ");
}
