import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import {
  modelEntrySchema,
  modelParamsSchema,
  modelsSchema,
  namedModelSchema,
  namedModelsSchema,
  ollamaVersionSchema,
} from "./drop-in-schemas";
import { storeMissingOrDown } from "./endpoints";

const entry = {
  type: "model",
  id: "cassette:developer-tools/explain-sse",
  display_name: "How server-sent events work",
  created_at: "2026-11-21T00:00:00Z",
};

const list = {
  method: "GET",
  tag: "Drop-in",
  auth: "none",
  errors: { service_unavailable: storeMissingOrDown },
  errorShape: "openai-chat",
  cacheControl: "no-cache",
} as const;

const requestHeaders = {
  "anthropic-version": { description: "Sent by Anthropic's clients.", schema: { type: "string" } },
  "x-goog-api-key": { description: "Sent by Gemini's clients.", schema: { type: "string" } },
};
const formats =
  "With the header `anthropic-version`, those of Anthropic in its format; with `x-goog-api-key`, those of Gemini; otherwise those of OpenAI.";

export const listModelsEndpoint = defineEndpoint({
  ...list,
  id: "listModels",
  path: "/v1/models",
  summary: "List models",
  description: `Lists the site's cassettes as models that a client can choose. ${formats}`,
  requestHeaders,
  responses: {
    200: jsonResponse("The models.", modelsSchema.or(namedModelsSchema), {
      data: [entry],
      has_more: false,
      first_id: entry.id,
      last_id: entry.id,
    }),
  },
});

export const getModelEndpoint = defineEndpoint({
  ...list,
  id: "getModel",
  path: "/v1/models/{model}",
  summary: "Get a model",
  description: `Returns the entry of a cassette that is named as a model: \`cassette:<id>\`. ${formats}`,
  params: modelParamsSchema,
  requestHeaders,
  responses: { 200: jsonResponse("The model.", modelEntrySchema, entry) },
  errors: { ...list.errors, not_found: "No cassette of the client's provider has this name." },
});

export const listGeminiModelsEndpoint = defineEndpoint({
  ...list,
  id: "listGeminiModels",
  path: "/v1beta/models",
  summary: "List Gemini models",
  description: "Lists the site's Gemini cassettes as models.",
  responses: { 200: jsonResponse("The models.", namedModelsSchema, { models: [{ name: `models/${entry.id}` }] }) },
  errorShape: "gemini",
});

export const getGeminiModelEndpoint = defineEndpoint({
  ...list,
  id: "getGeminiModel",
  path: "/v1beta/models/{model}",
  summary: "Get a Gemini model",
  description: "Returns the entry of a Gemini cassette that is named as a model: `cassette:<id>`.",
  params: modelParamsSchema,
  responses: { 200: jsonResponse("The model.", namedModelSchema, { name: `models/${entry.id}` }) },
  errors: { ...list.errors, not_found: "No Gemini cassette has this name." },
  errorShape: "gemini",
});

export const listOllamaModelsEndpoint = defineEndpoint({
  ...list,
  id: "listOllamaModels",
  path: "/api/tags",
  summary: "List Ollama models",
  description: "Lists the site's Ollama cassettes as models.",
  responses: { 200: jsonResponse("The models.", namedModelsSchema, { models: [{ name: entry.id }] }) },
  errorShape: "ollama",
});

export const getOllamaVersionEndpoint = defineEndpoint({
  ...list,
  id: "getOllamaVersion",
  path: "/api/version",
  summary: "Ollama version",
  description:
    "Returns the version of Ollama whose protocol is answered, which programs compare with the one they need.",
  responses: { 200: jsonResponse("The version.", ollamaVersionSchema, { version: "0.12.0" }) },
  errors: {},
  errorShape: "ollama",
});

export const modelEndpoints = [
  listModelsEndpoint,
  getModelEndpoint,
  listGeminiModelsEndpoint,
  getGeminiModelEndpoint,
  listOllamaModelsEndpoint,
  getOllamaVersionEndpoint,
];
