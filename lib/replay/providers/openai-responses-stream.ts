import type { StreamEvent } from "./events";
import {
  asObject,
  asText,
  atOnce,
  ByIndex,
  type Delta,
  eventStreamType,
  type Folded,
  inOrder,
  type Json,
  objectsOf,
  type SplitText,
  serverSentEvent,
  textOrNull,
} from "./provider";

/** The stream of OpenAI Responses: put together, taken apart, and read event by event. */

/** Statuses of a response that has not ended. */
export const openStatuses: readonly unknown[] = ["in_progress", "queued"];

type List = "content" | "summary";

/** A text that arrives in pieces: `field` of an output item, or of a part in one of the item's lists. */
type Piece = { event: string; field: string; kind: Delta["kind"]; in?: { list: List; type: string } };

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

/** An output item, and the parts of its lists by their indexes. */
type OpenItem = { item: Json } & Record<List, ByIndex<Json>>;

function openItem(item: Json): OpenItem {
  const partsOf = (list: List) => {
    const parts = new ByIndex<Json>();
    for (const part of objectsOf(item[list])) parts.set(parts.nextIndex, { ...part });
    return parts;
  };
  return { item: { ...item }, content: partsOf("content"), summary: partsOf("summary") };
}

function closeItem({ item, ...lists }: OpenItem): Json {
  for (const list of ["content", "summary"] as const) if (lists[list].size > 0) item[list] = inOrder(lists[list]);
  return item;
}

/** Returns a part of one of an item's lists. A missing one is added as `initial`. */
function partAt(item: OpenItem, list: List, index: unknown, initial: Json): Json {
  const parts = item[list];
  const number = typeof index === "number" ? index : parts.nextIndex;
  const part = parts.get(number) ?? { ...initial };
  parts.set(number, part);
  return part;
}

function applyToItem(open: OpenItem, json: Json): void {
  const type = asText(json.type);
  const piece = pieceByEvent.get(type);
  if (piece) {
    const index = piece.in?.list === "summary" ? json.summary_index : json.content_index;
    const initial = { type: piece.in?.type, [piece.field]: "" };
    const target = piece.in ? partAt(open, piece.in.list, index, initial) : open.item;
    target[piece.field] = asText(target[piece.field]) + asText(json.delta);
  } else if (type === "response.content_part.added") {
    partAt(open, "content", json.content_index, asObject(json.part));
  } else if (type === "response.reasoning_summary_part.added") {
    partAt(open, "summary", json.summary_index, asObject(json.part));
  } else if (type === "response.output_text.annotation.added") {
    const part = partAt(open, "content", json.content_index, { type: "output_text", text: "" });
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

export function fold(events: readonly StreamEvent[]): Folded {
  let response: Json | null = null;
  let error: Json | null = null;
  let isEnded = false;
  const items = new Map<number, OpenItem>();
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
        items.set(index, openItem(asObject(json.item)));
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
    response = { ...response, output: inOrder(items).map(closeItem) };
  }
  return { body: response, error, isEnded };
}

export function isCall({ type }: Json): boolean {
  return asText(type).endsWith("_call") || type === "mcp_approval_request";
}

/** Returns the name of the called tool; OpenAI's own tools have only a type. */
export function toolName({ type, name }: Json): string {
  return asText(name) || asText(type).replace(/_call$/, "");
}

export function readDeltas(json: Json): Delta[] {
  const type = asText(json.type);
  if (type === "error") return [{ kind: "error", text: JSON.stringify(errorOfEvent(json).error) }];
  if (type === "response.failed") return [{ kind: "error", text: JSON.stringify(asObject(json.response).error ?? {}) }];
  const item = asObject(json.item);
  if (type === "response.output_item.added" && isCall(item)) return [{ kind: "tool", text: "", name: toolName(item) }];
  const piece = pieceByEvent.get(type);
  return piece ? [{ kind: piece.kind, text: asText(json.delta) }] : [];
}

/** Returns the events of a text: its deltas, and its end. */
function pieceEvents(owner: Json, { event, field }: Piece, place: Json, split: SplitText): Json[] {
  const text = asText(owner[field]);
  const more = event === "output_text" ? { logprobs: owner.logprobs ?? [] } : {};
  return [
    ...split(text).map((delta) => ({ type: `response.${event}.delta`, ...place, delta, ...more })),
    { type: `response.${event}.done`, ...place, [field]: text, ...more },
  ];
}

function partEvents(part: Json, index: number, list: List, itemPlace: Json, split: SplitText): Json[] {
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
  const texts = piece ? pieceEvents(part, piece, place, split) : [];
  return [
    { type: `${name}.added`, ...place, part: start },
    ...texts.slice(0, -1),
    ...annotations.map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      ...place,
      annotation_index,
      annotation,
    })),
    ...texts.slice(-1),
    { type: `${name}.done`, ...place, part },
  ];
}

function itemEvents(item: Json, output_index: number, split: SplitText): Json[] {
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
    ...lists.flatMap((list) =>
      objectsOf(item[list]).flatMap((part, index) => partEvents(part, index, list, place, split)),
    ),
    ...(piece ? pieceEvents(item, piece, place, split) : []),
    { type: "response.output_item.done", output_index, item },
  ];
}

/** Fields that are set when a response ends. */
const endFields = ["completed_at", "error", "incomplete_details", "usage"];

export function unfold(body: Json, split = atOnce): { contentType: string; events: string[] } {
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
    ...objectsOf(output).flatMap((item, index) => itemEvents(item, index, split)),
    ...end,
  ];
  return {
    contentType: eventStreamType,
    events: events.map(({ type, ...rest }, sequence_number) =>
      serverSentEvent({ type, sequence_number, ...rest }, asText(type)),
    ),
  };
}
