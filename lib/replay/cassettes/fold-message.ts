import type { RecordedEvent } from "./read-events";

type Json = Record<string, unknown>;

/** The message that a non-streaming call would have returned. */
export type FoldedMessage = {
  message: Json | null;
  /** The `error` object of an `error` event in the stream, or null. */
  error: Json | null;
  /** Whether `message_stop` arrived. */
  stopped: boolean;
};

type OpenBlock = { block: Json; partialJson: string };

function asObject(value: unknown): Json {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : {};
}

function append(block: Json, key: string, addition: unknown): void {
  block[key] = `${typeof block[key] === "string" ? block[key] : ""}${typeof addition === "string" ? addition : ""}`;
}

function applyDelta(open: OpenBlock, delta: Json): void {
  const { block } = open;
  switch (delta.type) {
    case "text_delta":
      return append(block, "text", delta.text);
    case "thinking_delta":
      return append(block, "thinking", delta.thinking);
    case "signature_delta":
      block.signature = delta.signature;
      return;
    case "input_json_delta":
      open.partialJson += typeof delta.partial_json === "string" ? delta.partial_json : "";
      return;
    case "citations_delta":
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
      return;
  }
}

function closeBlock(open: OpenBlock): void {
  if (open.partialJson === "") return;
  try {
    open.block.input = JSON.parse(open.partialJson);
  } catch {
    open.block.input = { partial_json: open.partialJson };
  }
}

/** Rebuilds the complete message from its stream events (Anthropic Messages wire format). */
export function foldMessage(events: readonly RecordedEvent[]): FoldedMessage {
  let message: Json | null = null;
  let error: Json | null = null;
  let stopped = false;
  const blocks = new Map<number, OpenBlock>();
  for (const { json } of events) {
    if (json === null) continue;
    switch (json.type) {
      case "message_start":
        message = { ...asObject(json.message) };
        break;
      case "content_block_start":
        blocks.set(Number(json.index), { block: { ...asObject(json.content_block) }, partialJson: "" });
        break;
      case "content_block_delta": {
        const open = blocks.get(Number(json.index));
        if (open) applyDelta(open, asObject(json.delta));
        break;
      }
      case "content_block_stop": {
        const open = blocks.get(Number(json.index));
        if (open) closeBlock(open);
        break;
      }
      case "message_delta":
        if (message) {
          const { delta, usage, type: _type, ...rest } = json;
          message = {
            ...asObject(message),
            ...rest,
            ...asObject(delta),
            usage: { ...asObject((message as Json).usage), ...asObject(usage) },
          };
        }
        break;
      case "message_stop":
        stopped = true;
        break;
      case "error":
        error = asObject(json.error);
        break;
    }
  }
  if (message) {
    message.content = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, { block }]) => block);
  }
  return { message, error, stopped };
}
