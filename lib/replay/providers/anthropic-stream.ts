import type { StreamEvent } from "./events";
import {
  asObject,
  asText,
  atOnce,
  eventStreamType,
  type Folded,
  inOrder,
  type Json,
  jsonText,
  objectsOf,
  type SplitText,
  serverSentEvent,
} from "./provider";

type OpenBlock = { block: Json; partialJson: string; isOpen: boolean };

function append(block: Json, key: string, addition: unknown): void {
  block[key] = asText(block[key]) + asText(addition);
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
      open.partialJson += asText(delta.partial_json);
      return;
    case "citations_delta":
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
      return;
  }
}

/** Sets a tool's input, which arrives as pieces of JSON text. While it is not complete, it is a text. */
function setInput({ block, partialJson, isOpen }: OpenBlock): void {
  if (isOpen && asText(block.type).endsWith("tool_use")) block.input = { partial_json: partialJson };
  if (isOpen || partialJson === "") return;
  try {
    block.input = JSON.parse(partialJson);
  } catch {
    block.input = { partial_json: partialJson };
  }
}

export function fold(events: readonly StreamEvent[]): Folded {
  let message: Json | null = null;
  let error: Json | null = null;
  let isEnded = false;
  const blocks = new Map<number, OpenBlock>();
  for (const { json } of events) {
    const open = blocks.get(Number(json?.index));
    switch (json?.type) {
      case "message":
        return { body: json, error: null, isEnded: true };
      case "message_start":
        message = { ...asObject(json.message) };
        break;
      case "content_block_start":
        blocks.set(Number(json.index), { block: { ...asObject(json.content_block) }, partialJson: "", isOpen: true });
        break;
      case "content_block_delta":
        if (open) applyDelta(open, asObject(json.delta));
        break;
      case "content_block_stop":
        if (open) open.isOpen = false;
        break;
      case "message_delta":
        if (message) {
          const { delta, usage, type: _type, ...rest } = json;
          message = {
            ...asObject(message),
            ...rest,
            ...asObject(delta),
            usage: { ...asObject(asObject(message).usage), ...asObject(usage) },
          };
        }
        break;
      case "message_stop":
        isEnded = true;
        break;
      case "error":
        error = json;
        break;
    }
  }
  for (const open of blocks.values()) setInput({ ...open, isOpen: open.isOpen && !isEnded });
  if (message) message.content = inOrder(blocks).map(({ block }) => block);
  return { body: message, error, isEnded };
}

/** Returns the deltas that contain all of a block, and the block as it is before them. */
function divideBlock(block: Json, split: SplitText): { start: Json; deltas: Json[] } {
  switch (block.type) {
    case "text":
      return {
        start: { ...block, text: "", ...(Array.isArray(block.citations) && { citations: [] }) },
        deltas: [
          ...split(asText(block.text)).map((text) => ({ type: "text_delta", text })),
          ...objectsOf(block.citations).map((citation) => ({ type: "citations_delta", citation })),
        ],
      };
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          ...split(asText(block.thinking)).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "tool_use":
    case "server_tool_use":
      return {
        start: { ...block, input: {} },
        deltas: split(jsonText(block.input)).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      };
    default:
      return { start: block, deltas: [] };
  }
}

/** Returns the usage at the start of a stream, where one token has been written: clients add that at its end. */
function startUsage({ output_tokens_details: _details, server_tool_use: _tools, ...usage }: Json): Json {
  const { output_tokens: count } = usage;
  return typeof count === "number" ? { ...usage, output_tokens: Math.min(count, 1) } : usage;
}

export function unfold(body: Json, split = atOnce): { contentType: string; events: string[] } {
  const { content, stop_reason, stop_sequence, stop_details, container, usage, ...rest } = body;
  // JSON.stringify leaves out what a message does not have.
  const delta = { stop_reason, stop_sequence, stop_details, container };
  const start = {
    ...rest,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usage && startUsage(asObject(usage)),
  };
  const blocks = objectsOf(content).flatMap((block, index) => {
    const { start: content_block, deltas } = divideBlock(block, split);
    return [
      { type: "content_block_start", index, content_block },
      ...(index === 0 ? [{ type: "ping" }] : []),
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  const events: (Json & { type: string })[] = [
    { type: "message_start", message: start },
    ...blocks,
    { type: "message_delta", delta, usage },
    { type: "message_stop" },
  ];
  return { contentType: eventStreamType, events: events.map((event) => serverSentEvent(event, event.type)) };
}
