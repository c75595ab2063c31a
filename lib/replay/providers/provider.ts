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
  /** Number of earlier answers that the request contains; 0 for the first turn of a conversation. */
  assistantTurns: number;
  /** Ids of the response and tool calls that this request continues. */
  answeredIds: string[];
  /** Whether a stream of the answer is to end with its usage, where that has to be asked for. */
  asksUsage?: boolean;
};

/** A request as its provider receives it. `body` is null if it is not a JSON object. */
export type ProviderRequest = { method: string; path: string; query: string; body: Json | null };

/** What a person or program asks for, in terms that all providers share. Only what is given becomes part of a request. */
export type Ask = { model?: string; prompt?: string; system?: string; maxTokens?: number; isStream?: boolean };

/** What a path of the provider is for; `other` is replayed only by an exact request. */
export type Operation = "generate" | "count-tokens" | "models" | "embeddings" | "other";

/** How an answer is sent: as a stream of a framing, as a JSON array of its events, or as a whole. */
export type AnswerForm = "sse" | "ndjson" | "json-array" | "whole";

/** An error of a provider. `code` is its own name for it; by default, the status says which. */
export type ProviderError = {
  status: number;
  message: string;
  requestId: string;
  code?: string | undefined;
  retryAfterS?: number | undefined;
};

export type SplitText = (text: string) => readonly string[];

/** Everything that Tapedeck knows about one provider's protocol. */
export type Provider = {
  /** Name in cassettes and on the command line. */
  name: string;
  title: string;
  upstream: {
    baseUrl: string;
    /** Variable that SDKs read the base URL from; null without one. */
    baseUrlVariable: "ANTHROPIC_BASE_URL" | "OPENAI_BASE_URL" | "GOOGLE_GEMINI_BASE_URL" | "OLLAMA_HOST" | null;
    /** Variables that may contain the API key; the first that is set counts. */
    keyVariables: readonly ("ANTHROPIC_API_KEY" | "OPENAI_API_KEY" | "GEMINI_API_KEY" | "GOOGLE_API_KEY")[];
    headers: (key: string | undefined) => Record<string, string>;
    /** Header with the names of the beta features that a request uses; null if the provider has none. */
    betaHeader: string | null;
    /** Returns the fields of a request body that ask for this. */
    bodyOf: (ask: Ask) => Json;
    /** Fields that a new request gets if nobody sets them. */
    defaults?: (isStream: boolean) => Json;
    /** Path and query of a request for an answer. */
    pathOf: (body: Json, input: { model: string | undefined; isStream: boolean }) => { path: string; query: string };
  };
  operationOf: (request: Pick<ProviderRequest, "method" | "path">) => Operation | null;
  /** JSON pointers of fields that the client makes up, so that they differ from call to call. They are never compared. */
  volatileFields: readonly string[];
  /** JSON pointers of fields that choose the model or the form of the answer. Drop-in endpoints do not compare them. */
  choiceFields: readonly string[];
  /** Returns the JSON pointers of the contents of tool results in a request. */
  toolResults: (body: Json) => string[];
  /** Whether what a tool returned says in a field of the protocol that it failed. Absent where only texts say it, or a field beside it. */
  isFailure?: (result: unknown) => boolean;
  /** JSON pointer of the array in a request to which each turn of a conversation appends. */
  historyField: string;
  /** Whether the model wrote an item of this array. */
  isFromModel: (item: Json) => boolean;
  /** Whether an item only names, by its id, what the model wrote. Absent where no request does. */
  isReference?: (item: Json) => boolean;
  /** Returns items that the model wrote, one after the other, as the body of the answer that they repeat. */
  answerOf: (items: readonly Json[]) => Json;
  /** Names of the members whose strings continue in the next event of a stream. A secret may be divided between them. */
  textFields: readonly string[];
  /** How a stream is written: its content type, whether its events have names (their `type`) and numbers, and its last line. */
  stream: { contentType: string; isNamed: boolean; isNumbered?: boolean; endMarker: string | null };
  /** Names of the response headers that a cassette keeps; a name that ends with `*` is a prefix. */
  keptHeaders: readonly string[];
  /** Whether an event has nothing but the usage, which a stream has only if `asksUsage`. Absent if streams always say it. */
  isUsageEvent?: (event: Json) => boolean;
  requestIdHeader: string;
  readQuestion: (request: ProviderRequest) => Question;
  formOf: (request: ProviderRequest) => AnswerForm;
  /** Whether a JSON object is an event or a whole answer of this protocol. */
  isAnswer: (json: Json) => boolean;
  /** Puts a stream together. Also works on the beginning of a stream. */
  fold: (events: readonly StreamEvent[]) => Folded;
  readAnswer: (body: Json) => Answer;
  /** Returns what an event adds to the answer, in order; nothing if people read nothing of it. */
  readDeltas: (event: Json) => Delta[];
  /**
   * Returns an answer as the stream that the provider could have sent: its content type, and the text of each event. `split`
   * divides a text, or the JSON of a tool's input, into pieces; by default each is sent at once.
   */
  unfold: (body: Json, split?: SplitText) => { contentType: string; events: string[] };
  errorBody: (error: ProviderError) => Json;
  /** Returns the headers of a 429 that say which limit was reached, and when it resets. */
  limitHeaders?: (resetAt: Date) => Record<string, string>;
  /** Returns the status of an error that arrived in a stream that began with 200. */
  statusOf: (error: Json) => number;
};

/** Returns the id of a request in the form of the providers' own. */
export function providerRequestId(requestId: string): string {
  return `req_${requestId.replaceAll("-", "")}`;
}

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

/** Returns the parts of an answer as deltas, for protocols whose events contain whole parts. */
export function deltasOf(parts: readonly AnswerPart[]): Delta[] {
  return parts.flatMap((part): Delta[] => {
    if (part.kind === "tool") return [{ kind: "tool", text: part.input, name: part.name }];
    if (part.kind === "result") return [];
    return [{ kind: part.kind === "thinking" ? "thinking" : "text", text: part.text }];
  });
}

/** Returns the messages of a request that asks for an answer to a prompt, with the system prompt as the first one. */
export function messagesOf({ system, prompt }: Ask): Json {
  if (prompt === undefined && system === undefined) return {};
  const first = system === undefined ? [] : [{ role: "system", content: system }];
  return { messages: [...first, ...(prompt === undefined ? [] : [{ role: "user", content: prompt }])] };
}

/** Returns the JSON pointers of the contents of messages with the role `tool`. */
export function toolMessages({ messages }: Json): string[] {
  return objectsOf(messages).flatMap(({ role }, index) => (role === "tool" ? [`/messages/${index}/content`] : []));
}

export function isAssistant({ role }: Json): boolean {
  return role === "assistant";
}

export function withoutUndefined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** What arrives under indexes. `nextIndex` is that of a value that has none. */
export class ByIndex<Value> extends Map<number, Value> {
  nextIndex = 0;

  override set(index: number, value: Value): this {
    this.nextIndex = Math.max(this.nextIndex, index + 1);
    return super.set(index, value);
  }
}

/** Returns what arrived under indexes, in their order. Indexes are those of the answer, with any gaps: they are no places of a list. */
export function inOrder<Value>(byIndex: ReadonlyMap<number, Value>): Value[] {
  return [...byIndex].sort(([a], [b]) => a - b).map(([, value]) => value);
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

export function lastUserText(messages: readonly Json[]): string {
  return lastText(
    messages.filter(({ role }) => role === "user"),
    ({ content }) => textOfContent(content),
  );
}

/** Returns the messages after the last one of a role. */
export function messagesAfter(role: string, messages: readonly Json[]): readonly Json[] {
  return messages.slice(messages.findLastIndex((message) => message.role === role) + 1);
}

/** Reads a request whose history is a list of messages with roles. */
export function readMessages(
  body: ProviderRequest["body"],
  answeredIds: (messages: readonly Json[]) => string[],
): Question {
  const messages = objectsOf(body?.messages);
  return {
    prompt: lastUserText(messages),
    model: textOrNull(body?.model),
    assistantTurns: messages.filter(isAssistant).length,
    answeredIds: answeredIds(messages),
  };
}

/** Returns JSON text as it was sent, or the value as JSON. */
export function jsonText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

export const atOnce: SplitText = (text) => (text === "" ? [] : [text]);

export function serverSentEvent(data: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** Returns the event with an error that follows other events of a provider's stream. */
export function errorEvent(
  { stream, errorBody }: Provider,
  error: ProviderError,
  before: readonly Pick<StreamEvent, "json">[],
): string {
  const body = errorBody(error);
  if (stream.contentType.includes("ndjson")) return `${JSON.stringify(body)}\n`;
  if (!stream.isNamed) return serverSentEvent(body);
  const numbers = before.flatMap(({ json }) =>
    json?.sequence_number === undefined ? [] : Number(json.sequence_number),
  );
  const number = stream.isNumbered ? { sequence_number: (numbers.at(-1) ?? -1) + 1 } : {};
  return serverSentEvent({ type: "error", ...number, ...body }, "error");
}

export const eventStreamType = "text/event-stream; charset=utf-8";
