import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import {
  geminiParamsSchema,
  modelEntrySchema,
  modelParams,
  modelsSchema,
  namedModelSchema,
  namedModelsSchema,
  ollamaVersionSchema,
} from "./drop-in-schemas";
import { storeMissingOrDown } from "./endpoints";

const entry = {
  id: "cassette:developer-tools/sse-forms",
  object: "model",
  created: 1_795_770_000,
  owned_by: "tapedeck",
};

const geminiEntry = { name: "models/cassette:legal/german-lease-terms" };

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
    200: jsonResponse("The models.", modelsSchema.or(namedModelsSchema), { object: "list", data: [entry] }),
  },
});

export const getModelEndpoint = defineEndpoint({
  ...list,
  id: "getModel",
  path: "/v1/models/{model}",
  summary: "Get a model",
  description: `Returns the entry of a cassette that is named as a model: \`cassette:<id>\`. ${formats}`,
  params: modelParams("developer-tools/sse-forms"),
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
  responses: { 200: jsonResponse("The models.", namedModelsSchema, { models: [geminiEntry] }) },
  errorShape: "gemini",
});

export const getGeminiModelEndpoint = defineEndpoint({
  ...list,
  id: "getGeminiModel",
  path: "/v1beta/models/{model}",
  summary: "Get a Gemini model",
  description: "Returns the entry of a Gemini cassette that is named as a model: `cassette:<id>`.",
  params: geminiParamsSchema,
  responses: { 200: jsonResponse("The model.", namedModelSchema, geminiEntry) },
  errors: { ...list.errors, not_found: "No Gemini cassette has this name." },
  errorShape: "gemini",
});

export const listOllamaModelsEndpoint = defineEndpoint({
  ...list,
  id: "listOllamaModels",
  path: "/api/tags",
  summary: "List Ollama models",
  description: "Lists the site's Ollama cassettes as models.",
  responses: {
    200: jsonResponse("The models.", namedModelsSchema, {
      models: [{ name: "cassette:developer-tools/move-commits" }],
    }),
  },
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
