import { expect, it } from "vitest";
import { findProvider, providerNames, providers, providersOf, requireProvider } from "#lib/replay/providers/index";
import { foldJson } from "#tests/support/provider-streams";

it("every provider is found by its name", () => {
  expect(providerNames).toEqual(["anthropic", "openai-chat", "openai-responses", "gemini", "ollama", "http"]);
  for (const provider of providers) expect(requireProvider(provider.name)).toBe(provider);
  expect(findProvider("other")).toBeUndefined();
  expect(() => requireProvider("other")).toThrow("Unknown provider other. Known providers: anthropic, openai-chat");
});

it.each([
  ["GET", "/v1/models", ["anthropic models", "openai-chat models", "openai-responses models"]],
  ["POST", "/v1/messages", ["anthropic generate"]],
  ["POST", "/v1/embeddings", ["openai-chat embeddings"]],
  ["GET", "/", []],
  ["POST", "/v1/responses", ["openai-responses generate"]],
  ["POST", "/v1/responses/input_tokens", ["openai-responses count-tokens"]],
  ["GET", "/v1/responses/resp_1", ["openai-responses other"]],
  ["DELETE", "/v1/responses/resp_1", ["openai-responses other"]],
  ["POST", "/v1/responses/resp_1/cancel", ["openai-responses other"]],
  ["GET", "/v1/responses/resp_1/input_items", ["openai-responses other"]],
  ["POST", "/v1beta/models/gemini-2.5-flash:generateContent", ["gemini generate"]],
  ["POST", "/v1/models/gemini-2.5-flash:streamGenerateContent", ["gemini generate"]],
  ["POST", "/v1beta/models/gemini-2.5-flash:countTokens", ["gemini count-tokens"]],
  ["POST", "/v1beta/models/gemini-embedding-001:batchEmbedContents", ["gemini embeddings"]],
  ["GET", "/v1beta/models", ["gemini models"]],
  ["GET", "/v1beta/models/gemini-2.5-flash", ["gemini models"]],
  ["GET", "/v1beta/models/gemini-2.5-flash:generateContent", []],
  ["POST", "/v1beta/models/gemini-2.5-flash:constructor", []],
  ["POST", "/api/chat", ["ollama generate"]],
  ["POST", "/api/generate", ["ollama generate"]],
  ["POST", "/api/embed", ["ollama embeddings"]],
  ["POST", "/api/embeddings", ["ollama embeddings"]],
  ["GET", "/api/tags", ["ollama models"]],
  ["POST", "/api/show", ["ollama other"]],
  ["GET", "/api/version", ["ollama other"]],
  ["GET", "/api/chat", []],
])("%s %s belongs to %j", (method, path, expected) => {
  const found = providersOf({ method, path }).map(({ provider, operation }) => `${provider.name} ${operation}`);
  expect(found).toEqual(expected);
});

it("every provider records at a path that it knows", () => {
  for (const { upstream, operationOf, fold, unfold } of providers) {
    const { path } = upstream.pathOf({}, { model: undefined, isStream: true });
    expect(operationOf({ method: "POST", path })).toBe("generate");
    expect(() => new URL(upstream.baseUrl)).not.toThrow();
    expect(upstream.headers(undefined)).not.toHaveProperty("authorization");
    expect(fold([])).toEqual({ body: null, error: null, isEnded: false });
    expect(unfold({}).events.length).toBeGreaterThan(0);
  }
});

it.each<[string, number[]]>([
  ["anthropic", [400, 401, 403, 404, 413, 429, 500, 529]],
  ["openai-chat", [400, 401, 429, 500]],
  ["openai-responses", [400, 401, 429, 500]],
  ["gemini", [400, 401, 403, 404, 429, 500, 503]],
])("errors of %s have the status that they are sent with", (name, statuses) => {
  const provider = requireProvider(name);
  for (const status of statuses) {
    const body = provider.errorBody({ status, message: "No.", requestId: "req_1" });
    expect(provider.statusOf(body)).toBe(status);
    expect(foldJson(provider, body)).toEqual({ body: null, error: body, isEnded: false });
  }
});

it("the model is read from the path where clouds have it there, also a cassette's name", () => {
  const modelAt = (provider: string, path: string) =>
    requireProvider(provider).readQuestion({ method: "POST", path, query: "", body: { contents: [], messages: [] } })
      .model;
  const vertex = "/v1/projects/p/locations/l/publishers/anthropic/models";
  expect(modelAt("anthropic", `${vertex}/claude-test:rawPredict`)).toBe("claude-test");
  expect(modelAt("anthropic", `${vertex}/cassette:legal/x:streamRawPredict`)).toBe("cassette:legal/x");
  expect(modelAt("anthropic", "/v1/messages")).toBeNull();
  expect(modelAt("gemini", "/v1beta/models/gemini-test:generateContent")).toBe("gemini-test");
  expect(modelAt("gemini", "/v1beta/models/cassette:legal/x:countTokens")).toBe("cassette:legal/x");
});

it("errors of plain HTTP have what clients of Amazon Bedrock read", () => {
  const errorOf = (status: number, code?: string) =>
    requireProvider("http").errorBody({ status, message: "No.", requestId: "r", code });
  expect(errorOf(404)).toEqual({
    message: "No.",
    __type: "ResourceNotFoundException",
    error: { status: 404, message: "No." },
  });
  expect([400, 418, 429, 500, 502, 503].map((status) => errorOf(status).__type)).toEqual([
    "ValidationException",
    "ValidationException",
    "ThrottlingException",
    "InternalServerException",
    "InternalServerException",
    "ServiceUnavailableException",
  ]);
  expect(errorOf(500, "ModelErrorException").__type).toBe("ModelErrorException");
});
