import { fold, unfold } from "./anthropic-stream";
import {
  type Answer,
  type AnswerPart,
  asObject,
  asText,
  type Citation,
  type Delta,
  eventStreamType,
  isAssistant,
  type Json,
  jsonText,
  messagesAfter,
  objectsOf,
  type Provider,
  readMessages,
  textOrNull,
  withoutUndefined,
} from "./provider";

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

/** Returns the blocks of a message's content; a text alone is one block. */
function blocksOf(content: unknown): Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
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

function readDeltas({ type, delta, content_block, error }: Json): Delta[] {
  if (type === "error") return [{ kind: "error", text: JSON.stringify(error ?? {}) }];
  if (type === "content_block_start") {
    const { type: blockType, name } = asObject(content_block);
    return asText(blockType).endsWith("tool_use") ? [{ kind: "tool", text: "", name: asText(name) }] : [];
  }
  const { type: deltaType, text, thinking, partial_json } = asObject(delta);
  const kind = deltaKinds.get(deltaType);
  return kind ? [{ kind, text: asText(text) || asText(thinking) || asText(partial_json) }] : [];
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
  return messagesAfter("assistant", messages)
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => objectsOf(content).flatMap(({ tool_use_id: id }) => textOrNull(id) ?? []));
}

/** Path of a model at Vertex AI, as far as it shows the protocol. */
const vertexPath = /\/publishers\/anthropic\/models\/(.+):(?:streamR|r)awPredict$/;

export const anthropic: Provider = {
  name: "anthropic",
  title: "Anthropic Messages",
  upstream: {
    baseUrl: "https://api.anthropic.com",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    keyVariables: ["ANTHROPIC_API_KEY"],
    headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === undefined ? {} : { "x-api-key": key }) }),
    betaHeader: "anthropic-beta",
    bodyOf: ({ model, prompt, system, maxTokens, isStream }) =>
      withoutUndefined({
        model,
        max_tokens: maxTokens,
        system,
        messages: prompt === undefined ? undefined : [{ role: "user", content: prompt }],
        stream: isStream,
      }),
    defaults: () => ({ max_tokens: 1024 }),
    pathOf: () => ({ path: "/v1/messages", query: "" }),
  },
  operationOf: ({ method, path }) => {
    if (method === "POST" && (path.endsWith("/v1/messages") || vertexPath.test(path))) return "generate";
    if (method === "POST" && path.endsWith("/v1/messages/count_tokens")) return "count-tokens";
    if (/\/v1\/messages(?:\/|$)/.test(path)) return "other";
    return method === "GET" && /^\/v1\/models(\/[^/]+)?$/.test(path) ? "models" : null;
  },
  volatileFields: ["/metadata/user_id"],
  choiceFields: ["/model", "/stream"],
  toolResults: ({ messages }) =>
    objectsOf(messages).flatMap(({ content }, index) =>
      objectsOf(content).flatMap(({ type }, part) =>
        asText(type).endsWith("tool_result") ? [`/messages/${index}/content/${part}/content`] : [],
      ),
    ),
  // What clients return has `is_error` beside it.
  isFailure: (content) => {
    const { type, return_code: code } = asObject(content);
    return asText(type).endsWith("_error") || Boolean(code);
  },
  historyField: "/messages",
  isFromModel: isAssistant,
  answerOf: (items) => ({ content: items.flatMap(({ content }) => blocksOf(content)) }),
  textFields: ["text", "thinking", "partial_json"],
  stream: { contentType: eventStreamType, isNamed: true, endMarker: null },
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
  readQuestion: ({ path, body }) => {
    const question = readMessages(body, answeredIds);
    return { ...question, model: question.model ?? vertexPath.exec(path)?.[1] ?? null };
  },
  formOf: ({ body }) => (body?.stream === true ? "sse" : "whole"),
  isAnswer: ({ type, error }) =>
    type === "message_start" || type === "message" || (type === "error" && asText(asObject(error).type) !== ""),
  fold,
  readAnswer,
  readDeltas,
  unfold,
  errorBody: ({ status, message, requestId, code }) => ({
    type: "error",
    error: { type: code ?? typeOf(status), message },
    request_id: requestId,
  }),
  limitHeaders: (resetAt) => ({
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": `${resetAt.toISOString().slice(0, 19)}Z`,
  }),
  statusOf: (body) => statusByType.get(asText(asObject(body.error).type)) ?? 500,
};
