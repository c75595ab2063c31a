import * as z from "zod";
import { defineEndpoint, type Endpoint, eventStreamBody } from "#lib/contract/endpoint";
import { answerOf, common } from "./drop-in-declaration";
import {
  answerSchema,
  batchEmbedBodySchema,
  bedrockBodySchema,
  bedrockParamsSchema,
  countTokensBodySchema,
  embedContentBodySchema,
  embeddingsBodySchema,
  geminiCountBodySchema,
  geminiParamsSchema,
  geminiQuerySchema,
  geminiTokenCountSchema,
  ollamaEmbedBodySchema,
  ollamaEmbeddingsBodySchema,
  ollamaShowBodySchema,
  responsesBodySchema,
  tokenCountSchema,
} from "./drop-in-schemas";

/** Endpoints that play the recorded answer to exactly the request, or the named cassette; some answer others themselves. */

const estimate =
  "Returns the recorded count of exactly this request, else an estimate: a token per four characters of the messages, the system prompt and the tools.";

export const countTokensEndpoint = defineEndpoint({
  ...common,
  id: "countTokens",
  path: "/v1/messages/count_tokens",
  summary: "Anthropic token count",
  description: estimate,
  body: countTokensBodySchema,
  bodyExample: { model: "any", messages: [{ role: "user", content: "Explain server-sent events." }] },
  responses: answerOf(tokenCountSchema, { input_tokens: 15 }),
  errorShape: "anthropic",
});

export const countGeminiTokensEndpoint = defineEndpoint({
  ...common,
  id: "countGeminiTokens",
  path: "/v1beta/models/{model}:countTokens",
  summary: "Gemini token count",
  description: estimate,
  params: geminiParamsSchema,
  query: geminiQuerySchema,
  body: geminiCountBodySchema,
  bodyExample: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  responses: answerOf(geminiTokenCountSchema, { totalTokens: 15 }),
  errorShape: "gemini",
});

export const showOllamaModelEndpoint = defineEndpoint({
  ...common,
  id: "showOllamaModel",
  path: "/api/show",
  summary: "Ollama model",
  description:
    "Describes the Ollama cassette that the model names; for other models, returns the recorded answer to exactly this request.",
  body: ollamaShowBodySchema,
  // It is read in the main thread.
  rawBodyByteSize: 64 * 1024,
  bodyExample: { model: "cassette:<id>" },
  responses: answerOf(answerSchema, { capabilities: ["completion"] }),
  errors: { ...common.errors, payload_too_large: "The body is over 64 KiB." },
  errorShape: "ollama",
});

type Exact<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = Pick<
  Endpoint<Params, Query, Body>,
  "id" | "path" | "summary" | "params" | "body" | "bodyExample" | "errorShape"
> & { query?: Query; example: unknown };

function exact<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = typeof common.query,
  Body extends z.ZodType = z.ZodUndefined,
>({ example, ...own }: Exact<Params, Query, Body>) {
  const description = "Returns the recorded answer to exactly this request, or the named cassette.";
  return defineEndpoint({ ...common, description, responses: answerOf(answerSchema, example), ...own });
}

export const callBedrockEndpoint = exact({
  id: "callBedrock",
  path: "/model/{modelId}/{operation}",
  summary: "Amazon Bedrock",
  params: bedrockParamsSchema,
  body: bedrockBodySchema,
  bodyExample: { messages: [{ role: "user", content: [{ text: "Hello" }] }] },
  example: { output: { message: { role: "assistant", content: [{ text: "Hello" }] } }, stopReason: "end_turn" },
  errorShape: "http",
});

/** Answers all other paths below `/v1`, `/v1beta` and `/v2`. It has no path of its own, so the OpenAPI document does not list it. */
export const recordedCallEndpoint = {
  ...common,
  id: "replayCall",
  path: "/{path}",
  summary: "Any recorded call",
  description: "Returns the recorded answer to exactly this request, or the named cassette.",
  rawBodyByteSize: 1024 * 1024,
  responses: answerOf(answerSchema, {}),
} as const satisfies Endpoint;

export const retrieveResponseEndpoint = defineEndpoint({
  ...common,
  id: "retrieveResponse",
  method: "GET",
  path: "/v1/responses/{responseId}",
  summary: "Retrieve a response of OpenAI",
  description:
    "Returns the recorded response with this id, or its stream. Where its states were recorded, such as of a background response, the newest; a test that is named by `x-replay-test` gets one after the other.",
  params: z.object({
    responseId: z
      .string()
      .max(200)
      .meta({ examples: ["resp_1"] }),
  }),
  query: common.query.extend({
    stream: z.enum(["true", "false"]).optional(),
    starting_after: z
      .string()
      .regex(/^\d{1,9}$/, "must be the number of an event")
      .transform(Number)
      .optional()
      .meta({
        description: "With `stream=true`: the `sequence_number` after which the stream starts.",
        examples: ["12"],
      }),
  }),
  rawBodyByteSize: undefined,
  responses: answerOf(
    answerSchema,
    { id: "resp_1", object: "response", output: [] },
    eventStreamBody('event: response.created\ndata: {"type":"response.created"}\n\n'),
  ),
  errorShape: "openai-responses",
});

export const exactEndpoints = [
  retrieveResponseEndpoint,
  countTokensEndpoint,
  exact({
    id: "createEmbedding",
    path: "/v1/embeddings",
    summary: "OpenAI embeddings",
    body: embeddingsBodySchema,
    bodyExample: { model: "cassette:<id>", input: "Hello" },
    example: { object: "list", data: [] },
    errorShape: "openai-chat",
  }),
  exact({
    id: "countInputTokens",
    path: "/v1/responses/input_tokens",
    summary: "OpenAI token count",
    body: responsesBodySchema,
    bodyExample: { model: "cassette:<id>", input: "Hello" },
    example: { object: "response.input_tokens", input_tokens: 15 },
    errorShape: "openai-responses",
  }),
  countGeminiTokensEndpoint,
  exact({
    id: "embedContent",
    path: "/v1beta/models/{model}:embedContent",
    summary: "Gemini embedContent",
    params: geminiParamsSchema,
    query: geminiQuerySchema,
    body: embedContentBodySchema,
    bodyExample: { content: { parts: [{ text: "Hello" }] } },
    example: { embedding: { values: [] } },
    errorShape: "gemini",
  }),
  exact({
    id: "batchEmbedContents",
    path: "/v1beta/models/{model}:batchEmbedContents",
    summary: "Gemini batchEmbedContents",
    params: geminiParamsSchema,
    query: geminiQuerySchema,
    body: batchEmbedBodySchema,
    bodyExample: { requests: [{ model: "models/any", content: { parts: [{ text: "Hello" }] } }] },
    example: { embeddings: [] },
    errorShape: "gemini",
  }),
  exact({
    id: "createOllamaEmbed",
    path: "/api/embed",
    summary: "Ollama embed",
    body: ollamaEmbedBodySchema,
    bodyExample: { model: "cassette:<id>", input: "Hello" },
    example: { embeddings: [] },
    errorShape: "ollama",
  }),
  exact({
    id: "createOllamaEmbeddings",
    path: "/api/embeddings",
    summary: "Ollama embeddings",
    body: ollamaEmbeddingsBodySchema,
    bodyExample: { model: "cassette:<id>", prompt: "Hello" },
    example: { embedding: [] },
    errorShape: "ollama",
  }),
  showOllamaModelEndpoint,
  callBedrockEndpoint,
];
