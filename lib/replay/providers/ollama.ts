import type { StreamEvent } from "./events";
import {
  type Answer,
  type AnswerPart,
  asObject,
  asText,
  atOnce,
  type Delta,
  deltasOf,
  type Folded,
  isAssistant,
  type Json,
  jsonText,
  messagesOf,
  type Operation,
  objectsOf,
  type Provider,
  type ProviderRequest,
  readMessages,
  textOrNull,
  toolMessages,
  withoutUndefined,
} from "./provider";

const contentType = "application/x-ndjson";

const operations: Readonly<Record<string, Operation>> = {
  "POST /api/chat": "generate",
  "POST /api/generate": "generate",
  "POST /api/embed": "embeddings",
  "POST /api/embeddings": "embeddings",
  "GET /api/tags": "models",
  "POST /api/show": "other",
  "GET /api/version": "other",
};

/** Fields that arrive in pieces: of a chat's message, and of the answer to `/api/generate` itself. */
const messageTexts = ["content", "thinking"];
const answerTexts = ["response", "thinking"];

/** Returns `next`, with the texts of both joined, and what only `known` has. */
function join(known: Json, next: Json, fields: readonly string[]): Json {
  const texts = fields
    .filter((field) => typeof known[field] === "string")
    .map((field) => [field, asText(known[field]) + asText(next[field])]);
  return { ...known, ...next, ...Object.fromEntries(texts) };
}

function joinMessages(known: Json, next: Json): Json {
  const calls = [...objectsOf(known.tool_calls), ...objectsOf(next.tool_calls)];
  return { ...join(known, next, messageTexts), ...(calls.length > 0 && { tool_calls: calls }) };
}

function joinLines(known: Json, next: Json): Json {
  const line = join(known, next, answerTexts);
  if (!known.message || !next.message) return line;
  return { ...line, message: join(asObject(known.message), asObject(next.message), messageTexts) };
}

function fold(events: readonly StreamEvent[]): Folded {
  let body: Json | null = null;
  let error: Json | null = null;
  const calls: Json[] = [];
  for (const { json } of events) {
    if (!json) continue;
    if (json.error) error = json;
    else body = body ? joinLines(asObject(body), json) : json;
    if (!json.error) for (const call of objectsOf(asObject(json.message).tool_calls)) calls.push(call);
  }
  if (calls.length > 0) body = { ...body, message: { ...asObject(body?.message), tool_calls: calls } };
  return { body, error, isEnded: body?.done === true };
}

function partsOf(message: Json): AnswerPart[] {
  const parts: AnswerPart[] = [];
  const thinking = asText(message.thinking);
  if (thinking !== "") parts.push({ kind: "thinking", text: thinking, isRedacted: false });
  const text = asText(message.content);
  if (text !== "") parts.push({ kind: "text", text, citations: [] });
  for (const { function: called } of objectsOf(message.tool_calls)) {
    const { name, arguments: input } = asObject(called);
    parts.push({ kind: "tool", name: asText(name), input: jsonText(input), isServer: false, isComplete: true });
  }
  return parts;
}

/** Returns the message of a chat, or an answer of `/api/generate` as such a message. */
function messageOf({ message, thinking, response }: Json): Json {
  return message ? asObject(message) : { thinking, content: response };
}

function readAnswer(body: Json): Answer {
  const counts = ["prompt_eval_count", "eval_count"].filter((name) => body[name] !== undefined);
  const message = messageOf(body);
  return {
    parts: partsOf(message),
    model: textOrNull(body.model),
    usage: Object.fromEntries(counts.map((name) => [name, body[name]])),
    ids: objectsOf(message.tool_calls).flatMap(({ id }) => textOrNull(id) ?? []),
    stopReason: body.done === true ? (textOrNull(body.done_reason) ?? "stop") : null,
  };
}

function readDeltas(json: Json): Delta[] {
  if (json.error) return [{ kind: "error", text: JSON.stringify(json.error) }];
  return deltasOf(partsOf(messageOf(json)));
}

/** A line for each piece and call, and one with the counts; an answer that has not ended is one line. */
function unfold(body: Json, split = atOnce): { contentType: string; events: string[] } {
  const { model, created_at, message, response, thinking, ...counts } = body;
  const { content, thinking: thought, tool_calls: calls, ...said } = asObject(message);
  const lineOf = (fields: Json): Json =>
    message ? { message: { ...said, content: "", ...fields } } : { response: "", ...fields };
  const thoughts = thought ?? thinking;
  const textsOf = (field: string, text: unknown) => split(asText(text)).map((piece) => lineOf({ [field]: piece }));
  const pieces = [
    ...textsOf("thinking", thoughts),
    ...textsOf(message ? "content" : "response", content ?? response),
    ...objectsOf(calls).map((call) => lineOf({ tool_calls: [call] })),
  ];
  const lines =
    body.done === true
      ? [
          ...pieces.map((piece) => ({ model, created_at, ...piece, done: false })),
          { model, created_at, ...lineOf(thoughts === "" ? { thinking: "" } : {}), ...counts },
        ]
      : [body];
  return { contentType, events: lines.map((line) => `${JSON.stringify(line)}\n`) };
}

function operationOf({ method, path }: Pick<ProviderRequest, "method" | "path">): Operation | null {
  // Gateways have parts of their own in front.
  return operations[`${method} ${path.slice(Math.max(0, path.lastIndexOf("/api/")))}`] ?? null;
}

export const ollama: Provider = {
  name: "ollama",
  title: "Ollama",
  upstream: {
    baseUrl: "http://127.0.0.1:11434",
    baseUrlVariable: "OLLAMA_HOST",
    keyVariables: [],
    headers: () => ({}),
    betaHeader: null,
    bodyOf: ({ model, maxTokens, isStream, ...ask }) =>
      withoutUndefined({
        model,
        ...messagesOf(ask),
        options: maxTokens === undefined ? undefined : { num_predict: maxTokens },
        stream: isStream,
      }),
    pathOf: ({ prompt, messages }) => ({
      path: prompt !== undefined && messages === undefined ? "/api/generate" : "/api/chat",
      query: "",
    }),
  },
  operationOf,
  volatileFields: ["/keep_alive"],
  choiceFields: ["/model", "/stream"],
  toolResults: toolMessages,
  historyField: "/messages",
  isFromModel: isAssistant,
  answerOf: (items) => ({ message: items.reduce(joinMessages, {}) }),
  textFields: [...new Set([...messageTexts, ...answerTexts])],
  stream: { contentType, isNamed: false, endMarker: null },
  keptHeaders: ["content-type"],
  requestIdHeader: "x-request-id",
  readQuestion: ({ body }) => {
    const question = readMessages(body, () => []);
    return { ...question, prompt: textOrNull(body?.prompt) ?? question.prompt };
  },
  formOf: ({ body }) => (body?.stream === false ? "whole" : "ndjson"),
  isAnswer: ({ done, error }) => typeof done === "boolean" || asText(error) !== "",
  fold,
  readAnswer,
  readDeltas,
  unfold,
  errorBody: ({ message }) => ({ error: message }),
  statusOf: ({ error }) => (/not found/.test(asText(error)) ? 404 : 500),
};
