import type { StreamEvent } from "./events";
import { nameOf, statusByName } from "./gemini-errors";
import {
  type Answer,
  type AnswerPart,
  asObject,
  asText,
  type Citation,
  type Delta,
  deltasOf,
  eventStreamType,
  type Folded,
  type Json,
  jsonText,
  lastText,
  messagesAfter,
  type Operation,
  objectsOf,
  type Provider,
  type SplitText,
  serverSentEvent,
  textOfContent,
  textOrNull,
  withoutUndefined,
} from "./provider";

const defaultModel = "gemini-2.5-flash";
/** Vertex AI has the project and the publisher in front of it. A cassette that is named as the model has a colon and a slash. */
const methodPath = /\/models\/((?:cassette:)?[^:]+):([A-Za-z]+)$/;
const modelsPath = /^\/v1beta\/models(\/[^/:]+)?$/;
const streamMethod = "streamGenerateContent";

const operations: ReadonlyMap<string, Operation> = new Map([
  ["generateContent", "generate"],
  [streamMethod, "generate"],
  ["countTokens", "count-tokens"],
  ["embedContent", "embeddings"],
  ["batchEmbedContents", "embeddings"],
]);

/**
 * Returns what a request or an answer has: of Code Assist, which Gemini CLI asks after a login with Google, it is in a member
 * of this name.
 */
function unwrap(body: Json, name: "request" | "response"): Json {
  return body[name] === undefined ? body : asObject(body[name]);
}

function withoutNulls(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** Whether a part is nothing but text. A signature belongs to one part, which is therefore not joined to others. */
function isPlainText(part: Json): boolean {
  return typeof part.text === "string" && Object.keys(part).every((key) => key === "text" || key === "thought");
}

function appendPart(parts: Json[], part: Json): void {
  const last = parts.at(-1);
  const isJoined =
    last && isPlainText(last) && isPlainText(part) && (last.thought ?? false) === (part.thought ?? false);
  if (isJoined) parts[parts.length - 1] = { ...last, text: asText(last.text) + asText(part.text) };
  else parts.push(part);
}

/** A candidate, and what its content has so far. */
type OpenCandidate = { fields: Json; content: Json | undefined; parts: Json[] };

function openCandidate(fields: Json): OpenCandidate {
  const content = fields.content === undefined ? undefined : asObject(fields.content);
  return { fields, content, parts: objectsOf(content?.parts) };
}

function addToCandidate(open: OpenCandidate, next: Json): void {
  open.fields = { ...open.fields, ...withoutNulls(next) };
  if (next.content === undefined) return;
  const content = asObject(next.content);
  open.content = { ...open.content, ...content };
  for (const part of objectsOf(content.parts)) appendPart(open.parts, part);
}

function closeCandidate({ fields, content, parts }: OpenCandidate): Json {
  if (content === undefined) return fields;
  return { ...fields, content: parts.length > 0 ? { ...content, parts } : content };
}

function fold(events: readonly StreamEvent[]): Folded {
  const answers = events.flatMap(({ json }) => (json && !json.error ? [unwrap(json, "response")] : []));
  const error = events.findLast(({ json }) => json?.error)?.json ?? null;
  const candidates = new Map<unknown, OpenCandidate>();
  let [body = null] = answers;
  for (const { candidates: next, ...rest } of answers.length > 1 ? answers : []) {
    for (const [place, candidate] of objectsOf(next).entries()) {
      const index = candidate.index ?? place;
      const open = candidates.get(index);
      if (open) addToCandidate(open, candidate);
      else candidates.set(index, openCandidate(candidate));
    }
    body = { ...body, ...withoutNulls(rest) };
  }
  if (candidates.size > 0) body = { ...body, candidates: [...candidates.values()].map(closeCandidate) };
  return { body, error, isEnded: body !== null && stopReasonOf(body) !== null };
}

/** A stream has no end marker: it ends with a reason, of a candidate or of a prompt that was rejected. */
function stopReasonOf({ candidates, promptFeedback }: Json): string | null {
  const reasons = objectsOf(candidates).map(({ finishReason }) => textOrNull(finishReason));
  return reasons.find((reason) => reason !== null) ?? textOrNull(asObject(promptFeedback).blockReason);
}

/** Returns the sources that a candidate's grounding refers to, each with the sentence that it supports. */
function citationsOf({ groundingMetadata }: Json): Citation[] {
  const { groundingChunks, groundingSupports } = asObject(groundingMetadata);
  const sources = objectsOf(groundingChunks).map(({ web, retrievedContext }) => asObject(web ?? retrievedContext));
  return objectsOf(groundingSupports).flatMap(({ segment, groundingChunkIndices: indices }) =>
    (Array.isArray(indices) ? indices : []).map((index) => {
      const source = sources[Number(index)] ?? {};
      const title = asText(source.title) || asText(source.uri) || "Document";
      return { quote: asText(asObject(segment).text), source: title, url: textOrNull(source.uri) };
    }),
  );
}

function toPart(part: Json): AnswerPart | null {
  const { text, thought, functionCall, executableCode, thoughtSignature: _signature, ...rest } = part;
  if (typeof text === "string") {
    if (text === "") return null;
    return thought === true ? { kind: "thinking", text, isRedacted: false } : { kind: "text", text, citations: [] };
  }
  if (functionCall) {
    const { name, args } = asObject(functionCall);
    return { kind: "tool", name: asText(name), input: jsonText(args), isServer: false, isComplete: true };
  }
  if (executableCode) {
    const input = jsonText(executableCode);
    return { kind: "tool", name: "executableCode", input, isServer: true, isComplete: true };
  }
  const [name, content] = Object.entries(rest)[0] ?? [];
  return name === undefined ? null : { kind: "result", name, content };
}

/** Joins texts of one kind, which a signature may divide in the middle of a sentence. */
function joinTexts(parts: AnswerPart[], part: AnswerPart): AnswerPart[] {
  const last = parts.at(-1);
  const isJoined = (part.kind === "text" || part.kind === "thinking") && last?.kind === part.kind;
  if (isJoined) parts[parts.length - 1] = { ...last, text: last.text + part.text };
  else parts.push(part);
  return parts;
}

function partsOf(candidate: Json): AnswerPart[] {
  const parts = objectsOf(asObject(candidate.content).parts)
    .flatMap((part) => toPart(part) ?? [])
    .reduce<AnswerPart[]>(joinTexts, []);
  const citations = citationsOf(candidate);
  const cited = citations.length > 0 ? parts.findLast((part) => part.kind === "text") : undefined;
  return parts.map((part) => (part === cited ? { ...cited, citations } : part));
}

function readAnswer(body: Json): Answer {
  const candidates = objectsOf(body.candidates);
  const { blockReason, blockReasonMessage } = asObject(body.promptFeedback);
  const refusal = asText(blockReasonMessage) || asText(blockReason);
  const calls = candidates.flatMap(({ content }) => objectsOf(asObject(content).parts));
  return {
    parts: [
      ...candidates.flatMap(partsOf),
      ...(refusal === "" ? [] : [{ kind: "refusal", text: refusal } satisfies AnswerPart]),
    ],
    model: textOrNull(body.modelVersion),
    usage: asObject(body.usageMetadata),
    ids: calls.flatMap(({ functionCall }) => textOrNull(asObject(functionCall).id) ?? []),
    stopReason: stopReasonOf(body),
  };
}

function readDeltas({ error, candidates }: Json): Delta[] {
  if (error) return [{ kind: "error", text: JSON.stringify(error) }];
  return deltasOf(objectsOf(candidates).flatMap(partsOf));
}

/** Returns one event, or one for each piece of the candidate; the last of these has what is known at the end. */
function unfold(body: Json, split?: SplitText): { contentType: string; events: string[] } {
  const { candidates, usageMetadata: _usage, ...head } = body;
  const [candidate, ...others] = objectsOf(candidates);
  const contentType = eventStreamType;
  if (!split || !candidate || others.length > 0) return { contentType, events: [serverSentEvent(body)] };
  const content = asObject(candidate.content);
  const parts = objectsOf(content.parts).flatMap((part) =>
    isPlainText(part) ? split(asText(part.text)).map((text) => ({ ...part, text })) : [part],
  );
  const pieces = parts.map((part) => ({ index: candidate.index, content: { ...content, parts: [part] } }));
  const last = { ...body, candidates: [{ ...candidate, ...pieces.pop() }] };
  const events = [...pieces.map((piece) => ({ ...head, candidates: [piece] })), last];
  return { contentType, events: events.map((event) => serverSentEvent(event)) };
}

/** Ids of the calls that the contents after the last answer have the results of. Most calls of Gemini have no id. */
function answeredIds(contents: readonly Json[]): string[] {
  return messagesAfter("model", contents)
    .flatMap(({ parts }) => objectsOf(parts))
    .flatMap(({ functionResponse }) => textOrNull(asObject(functionResponse).id) ?? []);
}

/** Gemini API. Model and streaming are in the path of a request, not in its body. */
export const gemini: Provider = {
  name: "gemini",
  title: "Gemini",
  upstream: {
    baseUrl: "https://generativelanguage.googleapis.com",
    baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    headers: (key): Record<string, string> => (key === undefined ? {} : { "x-goog-api-key": key }),
    betaHeader: null,
    bodyOf: ({ prompt, system, maxTokens }) =>
      withoutUndefined({
        systemInstruction: system === undefined ? undefined : { parts: [{ text: system }] },
        contents: prompt === undefined ? undefined : [{ role: "user", parts: [{ text: prompt }] }],
        generationConfig: maxTokens === undefined ? undefined : { maxOutputTokens: maxTokens },
      }),
    pathOf: (body, { model, isStream }) => {
      const name = (model ?? textOrNull(body.model) ?? defaultModel).replace(/^models\//, "");
      const method = isStream ? streamMethod : "generateContent";
      return { path: `/v1beta/models/${name}:${method}`, query: isStream ? "alt=sse" : "" };
    },
  },
  operationOf: ({ method, path }) => {
    if (method === "GET" && modelsPath.test(path)) return "models";
    const [, , name = ""] = methodPath.exec(path) ?? [];
    return method === "POST" ? (operations.get(name) ?? null) : null;
  },
  volatileFields: ["/labels", "/user_prompt_id", "/request/labels", "/request/session_id"],
  choiceFields: ["/model"],
  toolResults: (body) =>
    objectsOf(unwrap(body, "request").contents).flatMap(({ parts }, index) =>
      objectsOf(parts).flatMap(({ functionResponse }, part) => {
        const pointer = `/contents/${index}/parts/${part}/functionResponse/response`;
        return functionResponse ? [body.request === undefined ? pointer : `/request${pointer}`] : [];
      }),
    ),
  isFailure: (response) => Boolean(asObject(response).error),
  historyField: "/contents",
  isFromModel: ({ role }) => role === "model",
  answerOf: (items) => ({ candidates: items.map((content) => ({ content })) }),
  textFields: ["text"],
  stream: { contentType: eventStreamType, isNamed: false, endMarker: null },
  keptHeaders: ["content-type", "server-timing", "retry-after", "x-goog-upload-*"],
  requestIdHeader: "x-request-id",
  readQuestion: ({ path, body }) => {
    const contents = objectsOf(unwrap(body ?? {}, "request").contents);
    const [, model] = methodPath.exec(path) ?? [];
    return {
      prompt: lastText(
        contents.filter(({ role }) => role !== "model"),
        ({ parts }) => textOfContent(parts),
      ),
      model: model ?? textOrNull(body?.model),
      assistantTurns: contents.filter(({ role }) => role === "model").length,
      answeredIds: answeredIds(contents),
    };
  },
  formOf: ({ path, query }) => {
    if (!path.endsWith(":streamGenerateContent")) return "whole";
    return new URLSearchParams(query).get("alt") === "sse" ? "sse" : "json-array";
  },
  isAnswer: ({ candidates, promptFeedback, error }) =>
    Array.isArray(candidates) || promptFeedback !== undefined || typeof asObject(error).code === "number",
  fold,
  readAnswer,
  readDeltas,
  unfold,
  errorBody: ({ status, message, code, retryAfterS }) => ({
    error: {
      code: status,
      message,
      status: code ?? nameOf(status),
      ...(retryAfterS === undefined
        ? {}
        : { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterS}s` }] }),
    },
  }),
  statusOf: (body) => {
    const { code, status } = asObject(body.error);
    if (typeof code === "number" && code >= 400 && code <= 599) return code;
    return statusByName.get(asText(status)) ?? 500;
  },
};
