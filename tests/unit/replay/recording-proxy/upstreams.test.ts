import { expect, it } from "vitest";
import { findPlace, placeholderKeys, providerAt, upstreamsOf } from "#lib/replay/recording-proxy/upstreams";

const settings = {
  groq: { url: "https://api.groq.com/openai/v1", provider: "openai-chat" },
  azure: { url: "https://example.openai.azure.com/openai", provider: "openai-chat" },
  mine: { url: "https://api.openai.com/v1", provider: "openai-chat" },
};
const environment = { OLLAMA_HOST: "127.0.0.1:11434", OPENAI_BASE_URL: "http://proxy.test:8080/v1" };
// As for an import: the providers' own servers count beside those that variables name.
const upstreams = [...upstreamsOf(settings, environment), ...upstreamsOf({}, {})];

it.each([
  ["https://api.anthropic.com/v1/messages?beta=true", "anthropic", "/v1/messages", "beta=true"],
  ["http://proxy.test:8080/v1/responses", "openai", "/v1/responses", ""],
  ["https://api.openai.com/v1/chat/completions", "mine", "/v1/chat/completions", ""],
  // The configured name of that server speaks another protocol.
  ["https://api.openai.com/v1/responses", "openai", "/v1/responses", ""],
  ["https://api.groq.com/openai/v1/chat/completions", "groq", "/v1/chat/completions", ""],
  [
    "https://example.openai.azure.com/openai/deployments/a/chat/completions",
    "azure",
    "/deployments/a/chat/completions",
    "",
  ],
  ["http://localhost:11434/api/chat", "ollama", "/api/chat", ""],
  ["http://[::1]:11434/api/show", "ollama", "/api/show", ""],
  // Servers that nobody named: where they are intercepted.
  ["https://openrouter.ai/api/v1/chat/completions", "openrouter.ai", "/api/v1/chat/completions", ""],
  [
    "https://gateway.test/google/v1beta/models/m:generateContent",
    "gateway.test",
    "/google/v1beta/models/m:generateContent",
    "",
  ],
  ["https://telemetry.test/v1/traces?a=b", "telemetry.test", "/v1/traces", "a=b"],
  ["http://search.test:8080/", "search.test:8080", "/", ""],
])("a request to %s arrives at %s%s", (url, name, path, query) => {
  const place = findPlace(upstreams, [], { method: "POST", url: new URL(url) });
  expect([place?.upstream.name, place?.path, place?.query]).toEqual([name, path, query]);
});

it.each([
  ["https://openrouter.ai/api/v1/chat/completions", "openai-chat", "openrouter.ai"],
  ["https://generativelanguage.googleapis.com/v1beta/models/m:generateContent", "gemini", undefined],
  // A host with two protocols.
  [
    "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
    "openai-chat",
    "generativelanguage.googleapis.com",
  ],
  ["https://telemetry.test/v1/traces", "http", "telemetry.test"],
])("a request to %s is one of %s at the host %s, as if it was intercepted", (given, provider, host) => {
  const place = findPlace(upstreamsOf({}, {}), [], { method: "POST", url: new URL(given) });
  const found = place && providerAt(place.upstream, { method: "POST", path: place.path });
  expect(found?.name).toBe(provider);
  expect(place?.upstream.host).toBe(host);
});

it("a request that is not one over HTTP arrives nowhere", () => {
  expect(findPlace(upstreams, [], { method: "GET", url: new URL("wss://api.openai.com/v1/realtime") })).toBeUndefined();
});

it.each([
  [{}, ["replayed-by-tapedeck", "replayed-by-tapedeck"]],
  // Google's SDK prefers the other variable where both are set.
  [{ GEMINI_API_KEY: "own" }, []],
  [{ GOOGLE_API_KEY: "own" }, []],
])("with the keys %j, only providers without a key get a placeholder", (environment, expected) => {
  const { GEMINI_API_KEY, GOOGLE_API_KEY, OPENAI_API_KEY } = placeholderKeys(environment);
  expect([GEMINI_API_KEY, GOOGLE_API_KEY].filter((value) => value !== undefined)).toEqual(expected);
  expect(OPENAI_API_KEY).toBe("replayed-by-tapedeck");
});
