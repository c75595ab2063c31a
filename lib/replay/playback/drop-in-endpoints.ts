import * as z from "zod";
import { defineEndpoint, eventStreamBody, textBody } from "#lib/contract/endpoint";
import { answerOf, choice, common } from "./drop-in-declaration";
import {
  answerSchema,
  chatBodySchema,
  geminiBodySchema,
  geminiParamsSchema,
  geminiQuerySchema,
  messageResponseSchema,
  messagesBodySchema,
  ollamaChatBodySchema,
  ollamaGenerateBodySchema,
  responsesBodySchema,
  vertexMessagesBodySchema,
  vertexParamsSchema,
} from "./drop-in-schemas";
import { streamExample } from "./endpoints";
import { exactEndpoints } from "./exact-endpoints";
import { modelEndpoints } from "./model-endpoints";

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

const vertexMessages = {
  ...common,
  description: `Answers as Vertex AI does with Anthropic's models, also below \`/v1beta1\`. ${choice}`,
  params: vertexParamsSchema,
  body: vertexMessagesBodySchema,
  bodyExample: {
    anthropic_version: "vertex-2023-10-16",
    max_tokens: 1024,
    messages: [{ role: "user", content: "Explain server-sent events." }],
  },
  responses: createMessageEndpoint.responses,
  errorShape: "anthropic",
} as const;
const vertexPath = "/v1/projects/{project}/locations/{location}/publishers/anthropic/models/{model}";

const gemini = {
  ...common,
  params: geminiParamsSchema,
  query: geminiQuerySchema,
  body: geminiBodySchema,
  bodyExample: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  errorShape: "gemini",
} as const;

/** Every path of a provider's protocol; `errorShape` names the provider. */
export const dropInEndpoints = [
  createMessageEndpoint,
  defineEndpoint({
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
  }),
  defineEndpoint({
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
  }),
  defineEndpoint({
    ...gemini,
    id: "generateContent",
    path: "/v1beta/models/{model}:generateContent",
    summary: "Gemini generateContent",
    description: `Answers as Gemini's API, also below \`/v1/models\` and at the paths of Vertex AI. ${choice}`,
    responses: answerOf(answerSchema, { candidates: [] }),
  }),
  defineEndpoint({
    ...gemini,
    id: "streamGenerateContent",
    path: "/v1beta/models/{model}:streamGenerateContent",
    summary: "Gemini streamGenerateContent",
    description: `As \`generateContent\`, with a stream: of server-sent events with \`alt=sse\`, else of a JSON array. ${choice}`,
    responses: answerOf(
      z.array(answerSchema).describe("The stream without `alt=sse`."),
      [{ candidates: [] }],
      eventStreamBody('data: {"candidates":[]}\n\n'),
    ),
  }),
  defineEndpoint({
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
  }),
  defineEndpoint({
    ...common,
    id: "createOllamaCompletion",
    path: "/api/generate",
    summary: "Ollama generate",
    description: `Answers as Ollama's API to a prompt, with a stream of JSON lines unless \`stream\` is false. Chats are not played here. ${choice}`,
    body: ollamaGenerateBodySchema,
    bodyExample: { model: "cassette:<id>", prompt: "Hello" },
    responses: answerOf(
      answerSchema,
      { response: "Hello", done: true },
      textBody("application/x-ndjson", '{"response":"Hello","done":false}\n'),
    ),
    errorShape: "ollama",
  }),
  defineEndpoint({
    ...vertexMessages,
    id: "rawPredict",
    path: `${vertexPath}:rawPredict`,
    summary: "Anthropic at Vertex AI",
  }),
  defineEndpoint({
    ...vertexMessages,
    id: "streamRawPredict",
    path: `${vertexPath}:streamRawPredict`,
    summary: "Anthropic at Vertex AI, streamed",
  }),
  ...exactEndpoints,
  ...modelEndpoints,
];
