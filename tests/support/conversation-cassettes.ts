import { expect } from "vitest";
import { readRecordedAnswer } from "#lib/replay/cassettes/index";
import { answerRequest } from "#lib/replay/cassettes/request";
import { anthropic, http } from "#lib/replay/providers/index";
import { converseStream } from "#tests/support/aws-event-stream";
import type { Step } from "./clients/ai";
import {
  type Json,
  type Protocol,
  type ProtocolName,
  protocolNames,
  protocols,
  providerProtocols,
  question,
  runTool,
  turnsOf,
} from "./conversation-protocols";
import { isExtended } from "./extended";
import {
  idOf,
  type Sealed,
  sealCall,
  sealConversation,
  sealed,
  serveSealed,
  streamCassette,
} from "./seal-conversation";
import type { Adapter } from "./serve";
import type { ServedFolder } from "./serve-files";

export { idOf, modelOf } from "./seal-conversation";

/** What every provider was asked, and said, in a recording that was not streamed. */
export const wholePrompt = "Which power adapter is used there?";
export const wholeText = "Type F – “Schuko” 🔌.";
/** What every provider answered with an error. */
export const errorPrompt = "Everything at once, please";
export const retryAfterSeconds = 7;
/** A request that was recorded twice, and both answers. */
export const repeatedPrompt = "Roll the dice";
export const repeatedTexts = ["Four ⚃", "Six ⚅"];
/** A call that was answered twice, with different results. */
export const forkPrompt = "Is the tram running?";
export const forkCallId = "call_fork_1";
export const embeddedText = "Alfama, Lisbon";
/** Number of tokens that a request was recorded to have. */
export const countedPrompt = "How long is this?";
export const countedTokens = 4321;

/** The adapters that answer the tests of drop-in endpoints. Those of tests/api run on both. */
export const testedAdapters: readonly Adapter[] = isExtended ? ["node", "route"] : ["node"];

/** Headers that clients are configured with. */
export const clientHeaders = { "x-replay-speed": "max" };

/** Runs a tool loop twice at the same time. Both must have the same result. */
export function twice<T>(run: () => Promise<T>): Promise<[T, T]> {
  return Promise.all([run(), run()]);
}

/** Returns a client's object as JSON, without its methods and prototypes. */
export function plain(value: unknown) {
  return JSON.parse(JSON.stringify(value));
}

/** Returns an answer that was recorded whole, and an error. */
function singlesOf(name: ProtocolName): Sealed[] {
  const protocol = protocols[name];
  const { provider, headers, requestOf, answerOf } = protocol;
  const request = (prompt: string) => answerRequest(provider, { ...requestOf(prompt), stream: false });
  const json = { "content-type": "application/json", ...headers };
  const error = provider.errorBody({ status: 429, message: "Too fast.", requestId: "req_authored_1" });
  return [
    sealed(`${name}-whole`, protocol, {
      request: request(wholePrompt),
      headers: json,
      body: JSON.stringify(answerOf({ text: wholeText, calls: [] }, `${name}_whole`)),
    }),
    sealed(`${name}-error`, protocol, {
      request: request(errorPrompt),
      status: 429,
      headers: { ...json, "retry-after": String(retryAfterSeconds) },
      body: JSON.stringify(error),
    }),
  ];
}

/** Returns two recordings of the same request. */
function repeats(): Sealed[] {
  const request = answerRequest(protocols.chat.provider, {
    ...protocols.chat.requestOf(repeatedPrompt),
    stream: false,
  });
  return repeatedTexts.map((text, index) =>
    sealed(`chat-repeat-${index + 1}`, protocols.chat, {
      request: { ...request, sequence: index + 1 },
      headers: { "content-type": "application/json" },
      body: JSON.stringify(protocols.chat.answerOf({ text, calls: [] }, `repeat_${index + 1}`)),
    }),
  );
}

/** The first turn of the conversation that continues in two ways. */
export const fork = forkOf();

function forkOf() {
  const { requestOf, answerOf, continue: next } = protocols.chat;
  const request = requestOf(forkPrompt);
  const call = { id: forkCallId, name: "get_forecast", input: { city: "Lisbon" } };
  const answer = answerOf({ text: "", calls: [call] }, "fork_1");
  const continueWith = (output: string) => next(request, answer, [{ id: forkCallId, name: call.name, output }]);
  return { request, answer, continueWith };
}

function forks(): Sealed[] {
  const { request, answer, continueWith } = fork;
  const parent = { id: idOf("chat-fork-1"), body: request, answers: 1 };
  const endOf = (text: string) => ({
    request: continueWith(text),
    answer: protocols.chat.answerOf({ text, calls: [] }, `fork_${text}`),
    parent,
  });
  return [
    streamCassette("chat-fork-1", protocols.chat, { request, answer }),
    streamCassette("chat-fork-sun", protocols.chat, endOf("sun")),
    streamCassette("chat-fork-rain", protocols.chat, endOf("rain")),
  ];
}

/** Requests that are not for a conversation, and what their cassettes contain. */
function others(): Sealed[] {
  const array = protocols.gemini.answerOf({ text: wholeText, calls: [] }, "gemini_array");
  const stream = anthropic.unfold(protocols.anthropic.answerOf({ text: wholeText, calls: [] }, "cut"));
  return [
    sealCall("chat-embeddings", protocols.chat.provider, {
      path: "/v1/embeddings",
      request: { model: "embed-test-1", input: embeddedText, encoding_format: "float" },
      answer: {
        object: "list",
        data: [{ object: "embedding", index: 0, embedding: [0.25, -0.5, 0.125] }],
        model: "embed-test-1",
        usage: { prompt_tokens: 3, total_tokens: 3 },
      },
    }),
    sealCall("anthropic-count", anthropic, {
      path: "/v1/messages/count_tokens",
      request: { model: "claude-test-1", messages: [{ role: "user", content: countedPrompt }] },
      answer: { input_tokens: countedTokens },
    }),
    sealCall("gemini-array", protocols.gemini.provider, {
      path: "/v1beta/models/gemini-test-1:streamGenerateContent",
      request: { contents: [{ role: "user", parts: [{ text: "As an array" }] }] },
      answer: `[${JSON.stringify(array)}\n,\n${JSON.stringify({ usageMetadata: { totalTokenCount: 53 } })}]`,
    }),
    sealCall("bedrock-stream", http, {
      path: "/model/anthropic.claude-test-v1%3A0/converse-stream",
      request: { messages: [] },
      type: "application/vnd.amazon.eventstream",
      answer: converseStream(wholeText),
    }),
    sealed("anthropic-cut", protocols.anthropic, {
      request: answerRequest(anthropic, { ...protocols.anthropic.requestOf("Will it rain at all"), stream: true }),
      headers: { "content-type": stream.contentType },
      body: stream.events.slice(0, 3).join(""),
      end: "truncated",
    }),
  ];
}

const trips = Object.fromEntries(
  protocolNames.map((name) => {
    const turns = turnsOf(protocols[name].callIds);
    return [name, sealConversation(name, protocols[name], { prompt: question, turns, runTool })];
  }),
) as Record<ProtocolName, ReturnType<typeof sealConversation>>;

const cassettes = new Map(
  [
    ...protocolNames.flatMap((name) => trips[name].cassettes),
    ...providerProtocols.flatMap(singlesOf),
    ...repeats(),
    ...forks(),
    ...others(),
  ].map((cassette) => [cassette.id, cassette]),
);

/** Returns the complete requests of a recorded conversation, without `stream`. */
export function requestsOf(name: ProtocolName): Json[] {
  return structuredClone(trips[name].requests);
}

/** Returns the body of a cassette as it was recorded. */
export function bodyOf(name: string): Buffer {
  const { chunks = [] } = cassettes.get(idOf(name)) ?? {};
  return Buffer.concat(chunks.map((chunk) => ("s" in chunk ? Buffer.from(chunk.s) : Buffer.from(chunk.b, "base64"))));
}

/** Returns the answer in a cassette, put together from its chunks. */
export function answerIn(name: string, { provider }: Pick<Protocol, "provider">): Json {
  const { response } = cassettes.get(idOf(name)) as Sealed;
  const { body } = readRecordedAnswer(provider, {
    headers: response.headers,
    chunks: [{ deltaMs: 0, bytes: bodyOf(name) }],
  });
  return body as Json;
}

/** Returns the answers of a conversation, put together from its cassettes. */
export function answersOf(name: ProtocolName): Json[] {
  return [1, 2, 3].map((number) => answerIn(`${name}-${number}`, protocols[name]));
}

/** Returns the turns of a conversation in a form that all frameworks share. */
export function stepsOf(name: ProtocolName): Step[] {
  const { provider } = protocols[name];
  return answersOf(name).map((answer) => {
    const { parts } = provider.readAnswer(answer);
    return {
      text: parts.map((part) => (part.kind === "text" ? part.text : "")).join(""),
      calls: parts.flatMap((part) =>
        part.kind === "tool" ? [{ name: part.name, input: JSON.parse(part.input) as unknown }] : [],
      ),
    };
  });
}

type Sent = { headers?: Record<string, string>; query?: string; signal?: AbortSignal };

/** Sends a request to a provider's path. A body with `stream: true` asks for a stream, also of Gemini. */
export function send(origin: string, name: ProtocolName, body: Json, { headers = {}, query, signal }: Sent = {}) {
  const { provider } = protocols[name];
  const isStream = body.stream === true;
  const place = provider.upstream.pathOf(body, { model: undefined, isStream });
  const { stream: _stream, ...rest } = body;
  return fetch(`${origin}${place.path}?${new URLSearchParams(query ?? place.query)}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-replay-speed": "max", ...headers },
    body: JSON.stringify(provider.name === "gemini" ? rest : { ...rest, stream: isStream }),
    ...(signal && { signal }),
  });
}

/** Checks that a body is an error in the provider's format. Returns its message. */
export function errorMessage(name: ProtocolName, status: number, body: unknown): string {
  const { error, request_id: requestId = "" } = body as { error: string | { message: string }; request_id?: string };
  const message = typeof error === "string" ? error : error.message;
  // Gemini says in the body of a 429 when to ask again.
  const expected = [undefined, 1].map((retryAfterS) =>
    protocols[name].provider.errorBody({ status, message, requestId, retryAfterS }),
  );
  expect(expected).toContainEqual(body);
  return message;
}

/** Checks that an answer is an error of the provider with this status. Returns its message. */
export async function errorIn(name: ProtocolName, response: Response, status: number): Promise<string> {
  expect([response.status, response.headers.get("content-type")]).toEqual([
    status,
    expect.stringMatching(/^application\/json/),
  ]);
  return errorMessage(name, status, await response.json());
}

/** Starts the app on these cassettes, without a database. Stopping it removes the files. */
export function serveCassettes(adapter: Adapter): Promise<ServedFolder> {
  return serveSealed(adapter, cassettes.values());
}
