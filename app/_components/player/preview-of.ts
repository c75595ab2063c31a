import { asObject, type PlayerEvent } from "./player-event";

/** What tells an event from its neighbours, in a line: of a delta, what it adds. The event itself is shown whole. */
export function previewOf({ event, data, json }: Pick<PlayerEvent, "event" | "data" | "json">): string {
  const { type, text, thinking, partial_json: partialJson } = asObject(json?.delta) ?? {};
  if (event === "content_block_delta" && typeof type === "string") {
    const added = text ?? thinking ?? partialJson;
    return typeof added === "string" ? `${type} ${JSON.stringify(added)}` : type;
  }
  const block = asObject(json?.content_block);
  return block ? `${event} ${block.type}` : `${event} ${data}`;
}
