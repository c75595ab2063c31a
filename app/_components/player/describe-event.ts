import type { Provider } from "#lib/replay/providers/browser";
import type { PlayerEvent } from "./player-event";

/** Describes an event in one line: what it adds to the answer, else its name and data. */
export function describeEvent(
  { readDeltas }: Pick<Provider, "readDeltas">,
  { event, data, json }: Pick<PlayerEvent, "event" | "data" | "json">,
): string {
  const deltas = json ? readDeltas(json) : [];
  if (deltas.length === 0) return event === "message" ? data : `${event} ${data}`;
  return deltas
    .map(({ kind, name, text }) => {
      const words = name === undefined ? [kind] : [kind, name];
      return [...words, ...(text === "" && name !== undefined ? [] : [JSON.stringify(text)])].join(" ");
    })
    .join(", ");
}
