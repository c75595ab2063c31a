import type { StreamEvent } from "./events";
import { keptOpenaiHeaders, modelsPath, openaiError, openaiStatusOf, openaiUpstream } from "./openai";
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

const path = "/v1/responses";

/** A text that arrives in pieces: `field` of an output item, or of a part in one of the item's lists. */
type Piece = { event: string; field: string; kind: Delta["kind"]; in?: { list: "content" | "summary"; type: string } };

const pieces: readonly Piece[] = [
  { event: "output_text", field: "text", kind: "text", in: { list: "content", type: "output_text" } },
  { event: "refusal", field: "refusal", kind: "text", in: { list: "content", type: "refusal" } },
  { event: "reasoning_text", field: "text", kind: "thinking", in: { list: "content", type: "reasoning_text" } },
  { event: "reasoning_summary_text", field: "text", kind: "thinking", in: { list: "summary", type: "summary_text" } },
  { event: "function_call_arguments", field: "arguments", kind: "tool" },
  { event: "custom_tool_call_input", field: "input", kind: "tool" },
  { event: "mcp_call_arguments", field: "arguments", kind: "tool" },
  { event: "code_interpreter_call_code", field: "code", kind: "tool" },
];
const pieceByEvent = new Map(pieces.map((piece) => [`response.${piece.event}.delta`, piece]));
const pieceByItem = new Map(
  pieces.flatMap((piece) => (piece.in ? [] : [[piece.event.replace(`_${piece.field}`, ""), piece]])),
);
const pieceByPart = new Map(pieces.flatMap((piece) => (piece.in ? [[piece.in.type, piece]] : [])));

/** Returns a copy of a part that takes its place in one of an item's lists. A missing one is added as `initial`. */
function partAt(item: Json, list: string, index: unknown, initial: Json): Json {
  const parts = objectsOf(item[list]);
  const number = typeof index === "number" && index < parts.length ? index : parts.length;
  const part = { ...(parts[number] ?? initial) };
  parts[number] = part;
  item[list] = parts;
  return part;
}

/** Applies an event that adds to an output item. */
function applyToItem(item: Json, json: Json): void {
  const type = asText(json.type);
  const piece = pieceByEvent.get(type);
  if (piece) {
    const index = piece.in?.list === "summary" ? json.summary_index : json.content_index;
    const initial = { type: piece.in?.type, [piece.field]: "" };
    const target = piece.in ? partAt(item, piece.in.list, index, initial) : item;
    target[piece.field] = asText(target[piece.field]) + asText(json.delta);
  } else if (type === "response.content_part.added") {
    partAt(item, "content", json.content_index, asObject(json.part));
  } else if (type === "response.reasoning_summary_part.added") {
    partAt(item, "summary", json.summary_index, asObject(json.part));
  } else if (type === "response.output_text.annotation.added") {
    const part = partAt(item, "content", json.content_index, { type: "output_text", text: "" });
    part.annotations = [...objectsOf(part.annotations), json.annotation];
  }
}

/** Returns an error in the format of an error response; events and failed responses have fewer fields. */
function toErrorBody(error: Json): Json {
  const code = textOrNull(error.code);
  const isServerError = code === null || /^server_error|timeout/.test(code);
  const kind = /rate_limit/.test(code ?? "") ? "rate_limit_error" : "invalid_request_error";
  const type = textOrNull(error.type) ?? (isServerError ? "server_error" : kind);
  return { error: { message: asText(error.message), type, param: error.param ?? null, code: error.code ?? null } };
}

/** Returns the error of an event of type `error`: its fields are in the event itself or in `error`. */
function errorOfEvent({ type: _type, error, ...fields }: Json): Json {
  return toErrorBody(error ? asObject(error) : fields);
}

function fold(events: readonly StreamEvent[]): Folded {
  let response: Json | null = null;
  let error: Json | null = null;
  let isEnded = false;
  const items = new Map<number, Json>();
  for (const { json } of events) {
    if (!json) continue;
    const index = Number(json.output_index);
    switch (json.type) {
      case undefined:
        if (typeof json.object === "string") return { body: json, error: null, isEnded: true };
        if (json.error) error = json;
        break;
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        response = asObject(json.response);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        response = asObject(json.response);
        isEnded = true;
        if (json.type === "response.failed") error = toErrorBody(asObject(response.error));
        break;
      case "response.output_item.added":
      case "response.output_item.done":
        items.set(index, { ...asObject(json.item) });
        break;
      case "error":
        error = errorOfEvent(json);
        break;
      default: {
        const item = items.get(index);
        if (item) applyToItem(item, json);
      }
    }
  }
  // Some servers leave `output` empty in the last event.
  if (response && items.size > 0 && objectsOf(response.output).length === 0) {
    response = { ...response, output: [...items].sort(([a], [b]) => a - b).map(([, item]) => item) };
  }
  return { body: response, error, isEnded };
}

function toCitation(json: Json): Citation {
  const source = [json.title, json.filename, json.url, json.file_id].map(asText).find((text) => text !== "");
  return { quote: "", source: source ?? "Document", url: textOrNull(json.url) };
}

function messageParts(item: Json): AnswerPart[] {
  return objectsOf(item.content).map((part) =>
    part.type === "refusal"
      ? { kind: "refusal", text: asText(part.refusal) }
      : { kind: "text", text: asText(part.text), citations: objectsOf(part.annotations).map(toCitation) },
  );
}

/** Whether the provider runs the tool itself; a call that the client has to answer has an id for it. */
function isServerCall(item: Json): boolean {
  return textOrNull(item.call_id) === null || item.execution === "server";
}

function isCall({ type }: Json): boolean {
  return asText(type).endsWith("_call") || type === "mcp_approval_request";
}

/** Returns the name of the called tool; OpenAI's own tools have only a type. */
function toolName({ type, name }: Json): string {
  return asText(name) || asText(type).replace(/_call$/, "");
}

function firstDefined(item: Json, fields: readonly string[]): unknown {
  return fields.map((field) => item[field]).find((value) => value !== undefined && value !== null);
}

function toParts(item: Json, isOpen: boolean): AnswerPart[] {
  const type = asText(item.type);
  if (type === "message") return messageParts(item);
  if (type === "reasoning") {
    const texts = [...objectsOf(item.summary), ...objectsOf(item.content)].map((part) => asText(part.text));
    const text = texts.filter((each) => each !== "").join("\n\n");
    return [{ kind: "thinking", text, isRedacted: text === "" && !isOpen }];
  }
  const content = firstDefined(item, ["output", "outputs", "results", "result", "tools", "error"]);
  if (!isCall(item)) return [{ kind: "result", name: type, content }];
  const input = firstDefined(item, ["arguments", "input", "code", "action", "operation", "queries"]);
  const call: AnswerPart = {
    kind: "tool",
    name: toolName(item),
    input: jsonText(input),
    isServer: isServerCall(item),
    isComplete: !isOpen && item.status !== "incomplete",
  };
  return content === undefined ? [call] : [call, { kind: "result", name: type, content }];
}

const openStatuses: readonly unknown[] = ["in_progress", "queued"];

function readAnswer(body: Json): Answer {
  const items = objectsOf(body.output);
  const isOpen = openStatuses.includes(body.status);
  const reason = textOrNull(asObject(body.incomplete_details).reason);
  const ids = items.map((item) => (item.type === "mcp_approval_request" ? item.id : item.call_id));
  return {
    parts: items.flatMap((item, index) =>
      toParts(item, isOpen && item.status !== "completed" && (item.status !== undefined || index === items.length - 1)),
    ),
    model: textOrNull(body.model),
    usage: asObject(body.usage),
    ids: [body.id, ...ids].flatMap((id) => textOrNull(id) ?? []),
    stopReason: isOpen ? null : (reason ?? textOrNull(body.status)),
  };
}

function readDelta(json: Json): Delta | null {
  const type = asText(json.type);
  if (type === "error") return { kind: "error", text: JSON.stringify(errorOfEvent(json).error) };
  if (type === "response.failed") return { kind: "error", text: JSON.stringify(asObject(json.response).error ?? {}) };
  const item = asObject(json.item);
  if (type === "response.output_item.added" && isCall(item)) return { kind: "tool", text: "", name: toolName(item) };
  const piece = pieceByEvent.get(type);
  return piece ? { kind: piece.kind, text: asText(json.delta) } : null;
}

/** Returns the events of a text: one delta with all of it, and its end. */
function pieceEvents(owner: Json, { event, field }: Piece, place: Json): Json[] {
  const text = asText(owner[field]);
  const more = event === "output_text" ? { logprobs: owner.logprobs ?? [] } : {};
  return [
    ...(text === "" ? [] : [{ type: `response.${event}.delta`, ...place, delta: text, ...more }]),
    { type: `response.${event}.done`, ...place, [field]: text, ...more },
  ];
}

function partEvents(part: Json, index: number, list: "content" | "summary", itemPlace: Json): Json[] {
  const name = list === "summary" ? "response.reasoning_summary_part" : "response.content_part";
  const place = { ...itemPlace, [list === "summary" ? "summary_index" : "content_index"]: index };
  const piece = pieceByPart.get(asText(part.type));
  const annotations = objectsOf(part.annotations);
  const start = {
    ...part,
    ...(piece && { [piece.field]: "" }),
    ...(part.annotations !== undefined && { annotations: [] }),
    ...(part.logprobs !== undefined && { logprobs: [] }),
  };
  const [delta, ...done] = piece ? pieceEvents(part, piece, place) : [];
  return [
    { type: `${name}.added`, ...place, part: start },
    ...(delta ? [delta] : []),
    ...annotations.map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      ...place,
      annotation_index,
      annotation,
    })),
    ...done,
    { type: `${name}.done`, ...place, part },
  ];
}

function itemEvents(item: Json, output_index: number): Json[] {
  const place = { item_id: item.id, output_index };
  const piece = pieceByItem.get(asText(item.type));
  const lists = (["summary", "content"] as const).filter((list) => Array.isArray(item[list]));
  const start = {
    ...item,
    ...(item.status !== undefined && { status: "in_progress" }),
    ...(piece && { [piece.field]: "" }),
    ...Object.fromEntries(lists.map((list) => [list, []])),
  };
  return [
    { type: "response.output_item.added", output_index, item: start },
    ...lists.flatMap((list) => objectsOf(item[list]).flatMap((part, index) => partEvents(part, index, list, place))),
    ...(piece ? pieceEvents(item, piece, place) : []),
    { type: "response.output_item.done", output_index, item },
  ];
}

/** Fields that are set when a response ends. */
const endFields = ["completed_at", "error", "incomplete_details", "usage"];

function unfold(body: Json): { contentType: string; events: string[] } {
  const { output, status = "completed" } = body;
  const start: Json = { ...body, status: "in_progress", output: [] };
  for (const field of endFields) if (body[field] !== undefined) start[field] = null;
  if (body.output_text !== undefined) start.output_text = "";
  // A response that is not finished has no last event.
  const end = ["completed", "incomplete", "failed"].includes(asText(status))
    ? [{ type: `response.${status}`, response: body }]
    : [];
  const events: Json[] = [
    { type: "response.created", response: start },
    { type: "response.in_progress", response: start },
    ...objectsOf(output).flatMap(itemEvents),
    ...end,
  ];
  return {
    contentType: eventStreamType,
    events: events.map(({ type, ...rest }, sequence_number) =>
      serverSentEvent({ type, sequence_number, ...rest }, asText(type)),
    ),
  };
}

/** Input items are written by the model unless they are messages of other roles, results or approvals. */
function isFromModel({ type, role, execution }: Json): boolean {
  if (type === undefined || type === "message") return role === "assistant";
  return type !== "mcp_approval_response" && (!asText(type).endsWith("_output") || execution === "server");
}

/** OpenAI Responses. */
export const openaiResponses: Provider = {
  name: "openai-responses",
  title: "OpenAI Responses",
  upstream: { ...openaiUpstream, pathOf: () => ({ path, query: "" }) },
  operationOf: (request) => {
    if (request.method === "POST" && request.path === path) return "generate";
    if (request.method === "POST" && request.path === `${path}/input_tokens`) return "count-tokens";
    if (request.path === path || request.path.startsWith(`${path}/`)) return "other";
    return request.method === "GET" && modelsPath.test(request.path) ? "models" : null;
  },
  volatileFields: ["/model", "/stream", "/stream_options", "/user", "/safety_identifier", "/prompt_cache_key"],
  historyField: "/input",
  keptHeaders: keptOpenaiHeaders,
  requestIdHeader: "x-request-id",
  readQuestion: ({ body }) => {
    const input = body?.input;
    const items = typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(input);
    const isAnswer = items.map(isFromModel);
    const results = items.slice(isAnswer.lastIndexOf(true) + 1).filter(({ type }) => type !== undefined);
    return {
      prompt: lastText(
        items.filter(({ role }) => role === "user"),
        ({ content }) => textOfContent(content),
      ),
      model: textOrNull(body?.model),
      isStream: body?.stream === true,
      assistantTurns: isAnswer.filter((isIt, index) => isIt && !isAnswer[index - 1]).length,
      answeredIds: [
        body?.previous_response_id,
        ...results.map((item) => item.call_id ?? item.approval_request_id),
      ].flatMap((id) => textOrNull(id) ?? []),
    };
  },
  formOf: ({ body }) => (body?.stream === true ? "sse" : "whole"),
  fold,
  readAnswer,
  readDelta,
  unfold,
  errorBody: openaiError,
  statusOf: openaiStatusOf,
};
