import { expect, it } from "vitest";
import { findPlace, placeholderKeys, upstreamsOf } from "#lib/replay/recording-proxy/upstreams";

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
  // Servers that nobody named, by their paths.
  ["https://openrouter.ai/api/v1/chat/completions", "openai", "/v1/chat/completions", ""],
  ["https://gateway.test/google/v1beta/models/m:generateContent", "gemini", "/v1beta/models/m:generateContent", ""],
])("a request to %s arrives at %s%s", (url, name, path, query) => {
  const place = findPlace(upstreams, "POST", new URL(url));
  expect([place?.upstream.name, place?.path, place?.query]).toEqual([name, path, query]);
});

it.each([
  "https://telemetry.test/v1/traces",
  "https://api.openai.com.evil.test/v1/files",
  "https://pypi.test/v1/models",
])("a request to %s is to no model", (url) => {
  expect(findPlace(upstreams, "POST", new URL(url))).toBeUndefined();
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
