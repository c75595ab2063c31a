import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { coversModelHost, findModelHost, keyVariables } from "#lib/replay/interception/index";
import { anthropic, openaiChat } from "#lib/replay/providers/index";
import { readHosts } from "#lib/replay/recording-proxy/index";
import {
  describeRefusal,
  findPlace,
  placeholderKeys,
  providerAt,
  upstreamsOf,
} from "#lib/replay/recording-proxy/upstreams";
import { temporaryFolder } from "#tests/support/temporary-folder";

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

it.each(["localhost", "127.0.0.1", "[::1]"])("an address of a server on this machine counts for it as %s", (name) => {
  const base = { OPENAI_BASE_URL: `http://${name}:4010/v1` };
  const asked = upstreamsOf({}, base, { "127.0.0.1:4010": "http://127.0.0.1:4020" });
  expect(asked.find((upstream) => upstream.name === "openai")?.address).toBe("http://127.0.0.1:4020");
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

it.each([
  [{}, ["api.groq.com"], ["GROQ_API_KEY"]],
  [{ GROQ_API_KEY: "own" }, ["api.groq.com"], []],
  [{}, ["api.cohere.com", "constructor", "127.0.0.1:4010"], ["COHERE_API_KEY", "CO_API_KEY"]],
  [{ COHERE_API_KEY: "own" }, ["api.cohere.com"], []],
  [{}, ["generativelanguage.googleapis.com"], ["GOOGLE_GENERATIVE_AI_API_KEY"]],
  [{}, [], []],
])("with the keys %j, tapes of %j get placeholders for %j besides the usual ones", (environment, hosts, added) => {
  const usual = new Set(Object.keys(placeholderKeys({})));
  const names = Object.keys(placeholderKeys(environment, hosts)).filter((name) => !usual.has(name));
  expect(names.sort()).toEqual(added);
});

it("a refused placeholder is named by the variable of its host", () => {
  const headers = { authorization: "Bearer replayed-by-tapedeck" };
  expect(describeRefusal(headers, openaiChat, "api.groq.com")).toBe("GROQ_API_KEY is not set");
  expect(describeRefusal(headers, openaiChat, "gateway.test")).toBe("OPENAI_API_KEY is not set");
  expect(describeRefusal(headers, anthropic)).toBe("ANTHROPIC_API_KEY is not set");
  expect(describeRefusal({ authorization: "Bearer own" }, openaiChat, "api.groq.com")).toBe("check the API key");
});

it("hosts with variables are those of models", () => {
  expect(Object.keys(keyVariables).filter((host) => !findModelHost(host, []))).toEqual([]);
});

it("an entry of NO_PROXY covers a host, those below it, or all", () => {
  const covers = (entry: string) => coversModelHost(entry, ["api.tavily.com"]);
  const covering = [
    "*",
    " .openai.com",
    "API.Mistral.AI",
    "*.amazonaws.com",
    "mine.openai.azure.com:443",
    "tavily.com",
  ];
  expect(covering.filter((entry) => !covers(entry))).toEqual([]);
  const others = ["", "localhost", "127.0.0.1", "10.0.0.0/8", ".internal", "ai.example", "openai.com.example"];
  expect(others.filter(covers)).toEqual([]);
});

it("the hosts of tapes are read, whatever else is in the folder", async () => {
  const folder = temporaryFolder();
  const request = (host: string) =>
    `{\n  "title": "\\"host\\": \\"a.test\\"",\n  "request": {\n    "method": "POST",\n    "host": "${host}"`;
  await mkdir(join(folder, "test/001.cassette.json"), { recursive: true });
  await writeFile(join(folder, "test/002.cassette.json"), request("api.groq.com"));
  await writeFile(join(folder, "test/003.cassette.json"), request("127.0.0.1:4010"));
  await writeFile(join(folder, "test/004.cassette.json"), "{}");
  await symlink(join(folder, "missing"), join(folder, "test/005.cassette.json"));
  await writeFile(join(folder, "test/tape.json"), request("b.test"));
  expect((await readHosts(folder)).sort()).toEqual(["127.0.0.1:4010", "api.groq.com"]);
  expect(await readHosts(join(folder, "none"))).toEqual([]);
});
