import type { StreamEvent } from "./events";
import {
  type Answer,
  type AnswerPart,
  asObject,
  asText,
  type Citation,
  type Delta,
  eventStreamType,
  type Folded,
  type Json,
  jsonText,
  lastText,
  objectsOf,
  type Provider,
  serverSentEvent,
  textOfContent,
  textOrNull,
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

function fold(events: readonly StreamEvent[]): Folded {
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
  if (message) message.content = [...blocks.entries()].sort(([a], [b]) => a - b).map(([, { block }]) => block);
  return { body: message, error, isEnded };
}

function pagesOf({ start_page_number: first, end_page_number: end }: Json): string {
  if (typeof first !== "number" || typeof end !== "number") return "";
  return end - first > 1 ? `, pages ${first} to ${end - 1}` : `, page ${first}`;
}

function toCitation(json: Json): Citation {
  const source = asText(json.title) || asText(json.document_title) || asText(json.source) || "Document";
  return { quote: asText(json.cited_text), source: source + pagesOf(json), url: textOrNull(json.url) };
}

function toPart(block: Json): AnswerPart {
  const type = asText(block.type);
  if (type === "text") {
    return { kind: "text", text: asText(block.text), citations: objectsOf(block.citations).map(toCitation) };
  }
  if (type.endsWith("thinking")) {
    return { kind: "thinking", text: asText(block.thinking), isRedacted: type === "redacted_thinking" };
  }
  if (!type.endsWith("tool_use")) return { kind: "result", name: type, content: block.content };
  const { partial_json: partial } = asObject(block.input);
  return {
    kind: "tool",
    name: asText(block.name),
    input: jsonText(partial ?? block.input),
    isServer: type !== "tool_use",
    isComplete: partial === undefined,
  };
}

function readAnswer(body: Json): Answer {
  const blocks = objectsOf(body.content);
  const explanation = asText(asObject(body.stop_details).explanation);
  return {
    parts: blocks.map(toPart),
    model: textOrNull(body.model),
    usage: asObject(body.usage),
    ids: blocks.filter(({ type }) => type === "tool_use").map(({ id }) => asText(id)),
    stopReason: textOrNull(body.stop_reason),
    ...(explanation === "" ? {} : { explanation }),
  };
}

const deltaKinds: ReadonlyMap<unknown, Delta["kind"]> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", "tool"],
]);

function readDelta({ type, delta, content_block, error }: Json): Delta | null {
  if (type === "error") return { kind: "error", text: JSON.stringify(error ?? {}) };
  if (type === "content_block_start") {
    const { type: blockType, name } = asObject(content_block);
    return asText(blockType).endsWith("tool_use") ? { kind: "tool", text: "", name: asText(name) } : null;
  }
  const { type: deltaType, text, thinking, partial_json } = asObject(delta);
  const kind = deltaKinds.get(deltaType);
  return kind ? { kind, text: asText(text) || asText(thinking) || asText(partial_json) } : null;
}

/** A delta that contains all of a block, and the block as it is before it. */
function divideBlock(block: Json): { start: Json; deltas: Json[] } {
  switch (block.type) {
    case "text":
      return {
        start: { ...block, text: "", ...(Array.isArray(block.citations) && { citations: [] }) },
        deltas: [
          { type: "text_delta", text: block.text },
          ...objectsOf(block.citations).map((citation) => ({ type: "citations_delta", citation })),
        ],
      };
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: block.thinking },
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "tool_use":
    case "server_tool_use":
      return {
        start: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: jsonText(block.input) }],
      };
    default:
      return { start: block, deltas: [] };
  }
}

function unfold(body: Json): { contentType: string; events: string[] } {
  const { content, stop_reason, stop_sequence, stop_details, container, usage, ...rest } = body;
  // JSON.stringify leaves out what a message does not have.
  const delta = { stop_reason, stop_sequence, stop_details, container };
  const start = { ...rest, content: [], stop_reason: null, stop_sequence: null, usage };
  const blocks = objectsOf(content).flatMap((block, index) => {
    const { start: content_block, deltas } = divideBlock(block);
    return [
      { type: "content_block_start", index, content_block },
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

const statusByType: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["overloaded_error", 529],
]);

function typeOf(status: number): string {
  const [type] = [...statusByType].find(([, known]) => known === status) ?? [];
  return type ?? (status === 503 ? "overloaded_error" : status >= 500 ? "api_error" : "invalid_request_error");
}

/**
 * Ids of the tool calls that the messages after the last answer have the results of. A system message may follow the
 * results, as Claude Code sends them.
 */
function answeredIds(messages: readonly Json[]): string[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(last + 1)
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => objectsOf(content).flatMap(({ tool_use_id: id }) => textOrNull(id) ?? []));
}

/** Anthropic Messages. */
export const anthropic: Provider = {
  name: "anthropic",
  title: "Anthropic Messages",
  upstream: {
    baseUrl: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_API_KEY"],
    headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === undefined ? {} : { "x-api-key": key }) }),
    pathOf: () => ({ path: "/v1/messages", query: "" }),
  },
  operationOf: ({ method, path }) => {
    if (method === "POST" && path === "/v1/messages") return "generate";
    if (method === "POST" && path === "/v1/messages/count_tokens") return "count-tokens";
    if (path === "/v1/messages" || path.startsWith("/v1/messages/")) return "other";
    return method === "GET" && /^\/v1\/models(\/[^/]+)?$/.test(path) ? "models" : null;
  },
  volatileFields: ["/metadata/user_id", "/model", "/stream"],
  historyField: "/messages",
  keptHeaders: [
    "content-type",
    "request-id",
    "anthropic-version",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "anthropic-ratelimit-*",
  ],
  requestIdHeader: "request-id",
  readQuestion: ({ body }) => {
    const messages = objectsOf(body?.messages);
    return {
      prompt: lastText(
        messages.filter(({ role }) => role === "user"),
        ({ content }) => textOfContent(content),
      ),
      model: textOrNull(body?.model),
      isStream: body?.stream === true,
      assistantTurns: messages.filter(({ role }) => role === "assistant").length,
      answeredIds: answeredIds(messages),
    };
  },
  formOf: ({ body }) => (body?.stream === true ? "sse" : "whole"),
  fold,
  readAnswer,
  readDelta,
  unfold,
  errorBody: ({ status, message, requestId }) => ({
    type: "error",
    error: { type: typeOf(status), message },
    request_id: requestId,
  }),
  statusOf: (body) => statusByType.get(asText(asObject(body.error).type)) ?? 500,
};
