import * as z from "zod";
import {
  defineEndpoint,
  type Endpoint,
  eventStreamBody,
  type HeaderDeclaration,
  jsonResponse,
  type ResponseDeclaration,
  textBody,
} from "#lib/contract/endpoint";
import {
  answerSchema,
  chatBodySchema,
  countTokensBodySchema,
  dropInQuerySchema,
  embeddingsBodySchema,
  geminiBodySchema,
  geminiParamsSchema,
  geminiQuerySchema,
  messageResponseSchema,
  messagesBodySchema,
  modelsSchema,
  ollamaChatBodySchema,
  responsesBodySchema,
  tokenCountSchema,
} from "./drop-in-schemas";
import { replayHeaderDeclarations, storeMissingOrDown, streamExample } from "./endpoints";
import { matchKinds } from "./schemas";

/** Maximum size of a request, in bytes: a conversation with images and documents. */
const maxBodyByteSize = 32 * 1024 * 1024;

const string = { type: "string" };

const requestHeaders: Record<string, HeaderDeclaration> = {
  "x-replay-cassette": { description: "Cassette, or turn of a conversation, to replay.", schema: string },
  "x-replay-speed": { description: "As the parameter `speed`.", schema: string },
  "x-replay-test": {
    description: "A name of your own, under which requests are counted for sequences and repeated requests.",
    schema: string,
  },
  "x-replay-sequence": {
    description:
      "What each request of the test gets: ids of cassettes, statuses, `overloaded`, `rate_limited`; or `@<name>` of a sequence in `sequences.json`.",
    schema: string,
  },
  "x-replay-fault": {
    description: "`status=529`, `cut-after-event=12`, `stall=5s`, `rechunk=1`, or several, separated by commas.",
    schema: string,
  },
};

const responseHeaders: Record<string, HeaderDeclaration> = {
  ...replayHeaderDeclarations,
  "x-replay-match": { description: "How the cassette was chosen.", schema: { ...string, enum: [...matchKinds] } },
};

const errors = {
  bad_request: "The body or `speed` is invalid, or the named cassette is of another provider.",
  not_found: "No recording fits the request. The message names the nearest ones.",
  conflict: "More than one recording fits the request.",
  payload_too_large: "The body is over 32 MiB.",
  service_unavailable: storeMissingOrDown,
};

const common = {
  method: "POST",
  tag: "Drop-in",
  auth: "none",
  query: dropInQuerySchema,
  requestHeaders,
  // Large bodies are parsed in a worker thread.
  rawBodyByteSize: maxBodyByteSize,
  errors,
  cacheControl: "no-cache, no-transform",
  maxDurationSeconds: 300,
} as const satisfies Partial<Endpoint>;

const choice =
  "The cassette is named by `model: cassette:<id>`, the header `x-replay-cassette`, or the API key `cassette:<id>`. The name of any turn of a conversation plays the turn that fits the request. Otherwise it is the recording of exactly this request, else, for a first turn, the site's cassette with a similar prompt.";

function answerOf(schema: z.ZodType, example: unknown, stream?: ResponseDeclaration["body"]) {
  return {
    200: {
      description: stream ? "The answer, or its stream if the request asks for one." : "The answer.",
      ...(stream && { otherBodies: [stream] }),
      headers: responseHeaders,
      body: { type: "application/json", schema, example },
    },
  };
}

export const createMessageEndpoint = defineEndpoint({
  ...common,
  id: "createMessage",
  path: "/v1/messages",
  summary: "Anthropic Messages",
  description: `Answers as Anthropic's API, so that an unmodified client whose base URL points here gets a replay. ${choice}`,
  body: messagesBodySchema,
  bodyExample: {
    model: "cassette:developer-tools/explain-sse",
    max_tokens: 1024,
    stream: true,
    messages: [{ role: "user", content: "Explain server-sent events." }],
  },
  responses: answerOf(
    messageResponseSchema,
    {
      id: "msg_authored_1",
      type: "message",
      role: "assistant",
      model: "tapedeck-authored",
      content: [{ type: "text", text: "A server-sent event is a few lines of text." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 9 },
    },
    eventStreamBody(streamExample),
  ),
  errorShape: "anthropic",
});

export const countTokensEndpoint = defineEndpoint({
  ...common,
  id: "countTokens",
  path: "/v1/messages/count_tokens",
  summary: "Anthropic token count",
  description:
    "Returns the recorded count of exactly this request, else an estimate: a token per four characters of the messages, the system prompt and the tools.",
  body: countTokensBodySchema,
  bodyExample: { model: "any", messages: [{ role: "user", content: "Explain server-sent events." }] },
  responses: answerOf(tokenCountSchema, { input_tokens: 15 }),
  errorShape: "anthropic",
});

export const listModelsEndpoint = defineEndpoint({
  id: "listModels",
  method: "GET",
  path: "/v1/models",
  tag: "Drop-in",
  summary: "List models",
  description:
    "Lists the site's cassettes as models that a client can choose. With the header `anthropic-version`, those of Anthropic in its format; otherwise those of OpenAI.",
  auth: "none",
  requestHeaders: { "anthropic-version": { description: "Sent by Anthropic's clients.", schema: string } },
  responses: {
    200: jsonResponse("The models.", modelsSchema, {
      data: [
        {
          type: "model",
          id: "cassette:developer-tools/explain-sse",
          display_name: "How server-sent events work",
          created_at: "2026-11-21T00:00:00Z",
        },
      ],
      has_more: false,
      first_id: "cassette:developer-tools/explain-sse",
      last_id: "cassette:developer-tools/explain-sse",
    }),
  },
  errors: { service_unavailable: storeMissingOrDown },
  errorShape: "openai-chat",
  cacheControl: "no-cache",
});

export const createChatCompletionEndpoint = defineEndpoint({
  ...common,
  id: "createChatCompletion",
  path: "/v1/chat/completions",
  summary: "OpenAI Chat Completions",
  description: `Answers as OpenAI's API. ${choice}`,
  body: chatBodySchema,
  bodyExample: { model: "cassette:<id>", stream: true, messages: [{ role: "user", content: "Hello" }] },
  responses: answerOf(
    answerSchema,
    { id: "chatcmpl-1", object: "chat.completion", choices: [] },
    eventStreamBody('data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[]}\n\n'),
  ),
  errorShape: "openai-chat",
});

export const createResponseEndpoint = defineEndpoint({
  ...common,
  id: "createResponse",
  path: "/v1/responses",
  summary: "OpenAI Responses",
  description: `Answers as OpenAI's API. ${choice}`,
  body: responsesBodySchema,
  bodyExample: { model: "cassette:<id>", stream: true, input: "Hello" },
  responses: answerOf(
    answerSchema,
    { id: "resp_1", object: "response", output: [] },
    eventStreamBody('event: response.created\ndata: {"type":"response.created"}\n\n'),
  ),
  errorShape: "openai-responses",
});

export const createEmbeddingEndpoint = defineEndpoint({
  ...common,
  id: "createEmbedding",
  path: "/v1/embeddings",
  summary: "OpenAI embeddings",
  description: "Returns the recorded answer to exactly this request, or the named cassette.",
  body: embeddingsBodySchema,
  bodyExample: { model: "cassette:<id>", input: "Hello" },
  responses: answerOf(answerSchema, { object: "list", data: [] }),
  errorShape: "openai-chat",
});

export const generateContentEndpoint = defineEndpoint({
  ...common,
  id: "generateContent",
  path: "/v1beta/models/{action}",
  summary: "Gemini generateContent",
  description: `Answers as Gemini's API, also to \`streamGenerateContent\`, and below \`/v1/models\`. ${choice} The model is in the path, so it cannot name a cassette.`,
  params: geminiParamsSchema,
  query: geminiQuerySchema,
  body: geminiBodySchema,
  bodyExample: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  responses: answerOf(
    z.union([answerSchema, z.array(answerSchema).meta({ description: "The stream without `alt=sse`." })]),
    { candidates: [] },
    eventStreamBody('data: {"candidates":[]}\n\n'),
  ),
  errorShape: "gemini",
});

export const createOllamaChatEndpoint = defineEndpoint({
  ...common,
  id: "createOllamaChat",
  path: "/api/chat",
  summary: "Ollama chat",
  description: `Answers as Ollama's API, with a stream of JSON lines unless \`stream\` is false. ${choice}`,
  body: ollamaChatBodySchema,
  bodyExample: { model: "cassette:<id>", messages: [{ role: "user", content: "Hello" }] },
  responses: answerOf(
    answerSchema,
    { message: { role: "assistant", content: "Hello" }, done: true },
    textBody("application/x-ndjson", '{"message":{"role":"assistant","content":"Hello"},"done":false}\n'),
  ),
  errorShape: "ollama",
});

export const dropInEndpoints = [
  createMessageEndpoint,
  countTokensEndpoint,
  listModelsEndpoint,
  createChatCompletionEndpoint,
  createResponseEndpoint,
  createEmbeddingEndpoint,
  generateContentEndpoint,
  createOllamaChatEndpoint,
];
