import { expect, it } from "vitest";
import { findProvider, providerNames, providers, providersOf, requireProvider } from "#lib/replay/providers/index";

it("every provider is found by its name", () => {
  expect(providerNames).toEqual(["anthropic", "openai-chat", "openai-responses", "gemini", "ollama"]);
  for (const provider of providers) expect(requireProvider(provider.name)).toBe(provider);
  expect(findProvider("other")).toBeUndefined();
  expect(() => requireProvider("other")).toThrow("Unknown provider other. Known providers: anthropic, openai-chat");
});

it.each([
  ["GET", "/v1/models", ["anthropic models", "openai-chat models", "openai-responses models"]],
  ["POST", "/v1/messages", ["anthropic generate"]],
  ["POST", "/v1/embeddings", ["openai-chat embeddings"]],
  ["POST", "/api/chat", ["ollama generate"]],
  ["GET", "/", []],
])("%s %s belongs to %j", (method, path, expected) => {
  const found = providersOf({ method, path }).map(({ provider, operation }) => `${provider.name} ${operation}`);
  expect(found).toEqual(expected);
});

it("every provider records at a path that it knows, and answers with an error that it understands", () => {
  for (const { upstream, operationOf, errorBody, fold, unfold } of providers) {
    const { path } = upstream.pathOf({}, { model: undefined, isStream: true });
    expect(operationOf({ method: "POST", path })).toBe("generate");
    expect(() => new URL(upstream.baseUrl)).not.toThrow();
    expect(upstream.headers(undefined)).not.toHaveProperty("authorization");
    expect(errorBody({ status: 500, message: "No.", requestId: "req_1" })).toHaveProperty("error");
    expect(fold([])).toEqual({ body: null, error: null, isEnded: false });
    expect(unfold({}).events.length).toBeGreaterThan(0);
  }
});
