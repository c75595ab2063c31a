import type { StreamEvent } from "./events";

export type Json = Record<string, unknown>;

/** A source that a text cites. */
export type Citation = { quote: string; source: string; url: string | null };

/** A part of an answer, as people read it. */
export type AnswerPart =
  | { kind: "text"; text: string; citations: Citation[] }
  | { kind: "thinking"; text: string; isRedacted: boolean }
  | { kind: "refusal"; text: string }
  /** `input` is JSON, or its beginning while `isComplete` is false. `isServer`: the provider runs the tool. */
  | { kind: "tool"; name: string; input: string; isServer: boolean; isComplete: boolean }
  | { kind: "result"; name: string; content: unknown };

/** What a response says, in terms that all providers share. */
export type Answer = {
  parts: AnswerPart[];
  model: string | null;
  /** Token usage as the provider reports it; empty if it reports none. */
  usage: Json;
  /** Ids that a later request can refer to: of the response and of its tool calls. */
  ids: string[];
  /** Why the answer ended, in the provider's words; null if it has not ended. */
  stopReason: string | null;
  /** Why the provider refused, if it says so. */
  explanation?: string;
};

/** A stream put together. */
export type Folded = {
  /** The body that the same call would have returned without streaming; null if no answer had begun. */
  body: Json | null;
  /** The body of the provider's error, if the stream has one. */
  error: Json | null;
  /** Whether the stream ended as the protocol requires. */
  isEnded: boolean;
};

/** What an event of a stream adds to an answer. `text` is a piece of JSON for a tool; `name` is set where a tool starts. */
export type Delta = { kind: "text" | "thinking" | "tool" | "error"; text: string; name?: string };

/** What a request asks, in terms that all providers share. */
export type Question = {
  /** Text of the last user message that has any. */
  prompt: string;
  model: string | null;
  /** Whether the answer is to be streamed. */
  isStream: boolean;
  /** Number of earlier answers that the request contains; 0 for the first turn of a conversation. */
  assistantTurns: number;
  /** Ids of the response and tool calls that this request continues. */
  answeredIds: string[];
};

/** A request as its provider receives it. `body` is null if it is not a JSON object. */
export type ProviderRequest = { method: string; path: string; query: string; body: Json | null };

/** What a path of the provider is for; `other` is replayed only by an exact request. */
export type Operation = "generate" | "count-tokens" | "models" | "embeddings" | "other";

/** How an answer is sent: as a stream of a framing, as a JSON array of its events, or as a whole. */
export type AnswerForm = "sse" | "ndjson" | "json-array" | "whole";

/** Everything that Tapedeck knows about one provider's protocol. */
export type Provider = {
  /** Name in cassettes and on the command line. */
  name: string;
  title: string;
  /** Where requests are recorded from: base URL, variables that may contain the key, and headers, given the key. */
  upstream: {
    baseUrl: string;
    keyVariables: readonly string[];
    headers: (key: string | undefined) => Record<string, string>;
    /** Path and query of a request for an answer. */
    pathOf: (body: Json, input: { model: string | undefined; isStream: boolean }) => { path: string; query: string };
  };
  operationOf: (request: Pick<ProviderRequest, "method" | "path">) => Operation | null;
  /** JSON pointers of fields that the client makes up, so that they differ from call to call. They are not compared. */
  volatileFields: readonly string[];
  /** JSON pointer of the array in a request to which each turn of a conversation appends. */
  historyField: string;
  /** Names of the response headers that a cassette keeps; a name that ends with `*` is a prefix. */
  keptHeaders: readonly string[];
  /** Response header with the id of the request. */
  requestIdHeader: string;
  readQuestion: (request: ProviderRequest) => Question;
  /** Returns the form in which a request wants its answer. */
  formOf: (request: ProviderRequest) => AnswerForm;
  /** Puts a stream together. Also works on the beginning of a stream. */
  fold: (events: readonly StreamEvent[]) => Folded;
  readAnswer: (body: Json) => Answer;
  /** Returns what an event adds to the answer; null if nothing that people read. */
  readDelta: (event: Json) => Delta | null;
  /** Returns an answer as the stream that the provider could have sent: its content type, and the text of each event. */
  unfold: (body: Json) => { contentType: string; events: string[] };
  /** Returns the body of an error in the provider's format. */
  errorBody: (error: { status: number; message: string; requestId: string }) => Json;
  /** Returns the status of an error that arrived in a stream that began with 200. */
  statusOf: (error: Json) => number;
};

/** Returns the value if it is a JSON object, else an empty one. */
export function asObject(value: unknown): Json {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : {};
}

/** Returns the JSON objects of an array; none if the value is no array. */
export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns the text of a message's content: a string, or the texts of its parts. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map(({ text }) => asText(text))
    .join("");
}

/** Returns the text of the last item that has any, in a list of messages. */
export function lastText(messages: readonly Json[], textOf: (message: Json) => string): string {
  return messages.map(textOf).findLast((text) => text.trim() !== "") ?? "";
}

/** Names of the number of output tokens in the usage that providers report. */
const outputTokenNames = ["output_tokens", "completion_tokens", "candidatesTokenCount", "eval_count"];

/** Returns the number of output tokens in a provider's usage; null if it has none. */
export function outputTokensOf(usage: Json): number | null {
  const count = outputTokenNames.map((name) => usage[name]).find((value) => typeof value === "number");
  return typeof count === "number" ? count : null;
}

/** Returns JSON text as it was sent, or the value as JSON. */
export function jsonText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

/** Returns an event of a stream of server-sent events. */
export function serverSentEvent(data: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export const eventStreamType = "text/event-stream; charset=utf-8";
