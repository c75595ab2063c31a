import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Provider, requireProvider } from "#lib/replay/providers/index";
import { converseStream } from "#tests/support/aws-event-stream";
import { testedAdapters } from "#tests/support/conversation-cassettes";
import { type Json, protocols } from "#tests/support/conversation-protocols";
import { idOf, modelOf, sealCall, serveSealed } from "#tests/support/seal-conversation";
import type { ServedFolder } from "#tests/support/serve-files";

const text = "Lisbon is the capital.";
const said = { text, calls: [] };
const [anthropic, chat, gemini, ollama, http] = ["anthropic", "openai-chat", "gemini", "ollama", "http"].map(
  requireProvider,
) as [Provider, Provider, Provider, Provider, Provider];

const contents = [{ role: "user", parts: [{ text: "Which city?" }] }];
const embed = { content: { parts: [{ text: "Lisbon" }] } };
const messages = [{ role: "user", content: "Which city?" }];
const converse = { messages: [{ role: "user", content: [{ text: "Which city?" }] }] };
const model = "anthropic.claude-test-v1:0";
const bedrockPath = `/model/${encodeURIComponent(model)}`;
const eventStream = "application/vnd.amazon.eventstream";
const generated = { model: "llama-test", response: text, done: true, done_reason: "stop" };

const cassettes = [
  sealCall("chat", chat, {
    path: "/v1/chat/completions",
    request: { model: "gpt-test", messages },
    answer: protocols.chat.answerOf(said, "c1"),
  }),
  sealCall("message", anthropic, {
    path: "/v1/projects/p/locations/l/publishers/anthropic/models/claude-test:rawPredict",
    request: { anthropic_version: "vertex-2023-10-16", max_tokens: 9, messages },
    answer: protocols.anthropic.answerOf(said, "1"),
  }),
  sealCall("gemini", gemini, {
    path: "/v1beta/models/gemini-test:generateContent",
    request: { contents },
    answer: protocols.gemini.answerOf(said, "g1"),
  }),
  // As @google/genai and a client of Vertex AI record them.
  sealCall("count", gemini, {
    path: "/v1/models/gemini-test:countTokens",
    request: { contents },
    answer: { totalTokens: 4321 },
  }),
  sealCall("embed", gemini, {
    path: "/v1beta1/projects/p/locations/l/publishers/google/models/embed-test:embedContent",
    request: embed,
    answer: { embedding: { values: [0.25] } },
  }),
  sealCall("embed-all", gemini, {
    path: "/v1beta/models/embed-test:batchEmbedContents",
    request: { requests: [{ model: "models/embed-test", content: { parts: [{ text: "Lisbon" }], role: "user" } }] },
    answer: { embeddings: [{ values: [0.5] }] },
  }),
  // As the client of Azure records it.
  sealCall("azure-embed", chat, {
    path: "/openai/deployments/embed-test/embeddings",
    query: "api-version=2024-10-21",
    request: { model: "embed-test", input: "Lisbon" },
    answer: { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.75] }] },
  }),
  sealCall("ollama-chat", ollama, {
    path: "/api/chat",
    request: { model: "llama-test", messages },
    answer: protocols.ollama.answerOf(said, "o1"),
  }),
  sealCall("ollama-generate", ollama, {
    path: "/api/generate",
    request: { model: "llama-test", prompt: "Which city?", stream: false },
    answer: generated,
  }),
  sealCall("ollama-embed", ollama, {
    path: "/api/embed",
    request: { model: "embed-test", input: "Lisbon" },
    answer: { model: "embed-test", embeddings: [[0.125]] },
  }),
  sealCall("ollama-embeddings", ollama, {
    path: "/api/embeddings",
    request: { model: "embed-test", prompt: "Lisbon" },
    answer: { embedding: [0.375] },
  }),
  sealCall("ollama-show", ollama, {
    path: "/api/show",
    request: { model: "llama-test" },
    answer: { capabilities: ["vision"] },
  }),
  sealCall("bedrock", http, { path: `${bedrockPath}/converse`, request: converse, answer: { output: text } }),
  sealCall("bedrock-stream", http, {
    path: `${bedrockPath}/converse-stream`,
    request: converse,
    answer: converseStream(text),
    type: eventStream,
    headers: { "x-amzn-requestid": "recorded-1" },
  }),
];

describe.each(testedAdapters)("the %s adapter", (adapter) => {
  let served: ServedFolder;
  beforeAll(async () => {
    served = await serveSealed(adapter, cassettes);
  });
  afterAll(() => served.stop());

  const post = (path: string, body: Json, headers: Record<string, string> = {}) =>
    fetch(served.origin + path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", "x-replay-speed": "max", ...headers },
    });
  const answered = async (path: string, body: Json, headers?: Record<string, string>) =>
    (await post(path, body, headers)).json();

  it("returns one model to the clients that list it, and a 404 with a request id for others", async () => {
    const openai = new OpenAI({ baseURL: `${served.origin}/v1`, apiKey: "none", maxRetries: 0 });
    const claude = new Anthropic({ baseURL: served.origin, apiKey: "none", maxRetries: 0 });
    expect(await openai.models.retrieve(modelOf("chat"))).toMatchObject({ id: modelOf("chat"), object: "model" });
    expect(await claude.models.retrieve(modelOf("message"))).toMatchObject({ id: modelOf("message"), type: "model" });
    await expect(openai.models.retrieve(modelOf("message"))).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
    });
    const missing = await claude.models.retrieve("claude-test").catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(Anthropic.NotFoundError);
    const { requestID, error } = missing as { requestID: string; error: Json };
    expect([requestID, error.request_id]).toEqual([expect.stringMatching(/^req_[0-9a-f]{32}$/), requestID]);
    const { models } = await (await fetch(`${served.origin}/v1beta/models`)).json();
    expect(models.map((model: Json) => [model.name, (model.supportedGenerationMethods as string[])[0]])).toEqual([
      [`models/${modelOf("embed")}`, "embedContent"],
      [`models/${modelOf("embed-all")}`, "batchEmbedContents"],
      [`models/${modelOf("gemini")}`, "generateContent"],
    ]);
  });

  it("counts, embeds and answers as Gemini, also at Vertex AI", async () => {
    const clientOf = (apiKey: string) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl: served.origin, headers: { "x-replay-speed": "max" } } });
    const client = clientOf("none");
    const count = (model: string) => client.models.countTokens({ model, contents });
    expect(await count("gemini-test")).toMatchObject({ totalTokens: 4321 });
    expect(await count("other")).toMatchObject({ totalTokens: Math.ceil(JSON.stringify(contents).length / 4) });
    const named = await client.models.generateContent({ model: modelOf("gemini"), contents: "Anything" });
    expect(named.text).toBe(text);
    const { embeddings } = await client.models.embedContent({ model: "embed-test", contents: "Lisbon" });
    expect(embeddings).toEqual([{ values: [0.5] }]);
    for (const path of ["/v1/models", "/v1beta/models", "/v1/projects/p/locations/l/publishers/google/models"]) {
      expect(await answered(`${path}/embed-test:embedContent`, embed)).toEqual({ embedding: { values: [0.25] } });
      expect((await answered(`${path}/any:generateContent`, { contents })).candidates).toHaveLength(1);
    }
    // The AI SDK asks like this.
    const unprefixed = await answered(`/v1beta/${modelOf("gemini")}:generateContent`, { contents });
    expect(unprefixed.candidates).toHaveLength(1);
    const other = await post("/v1beta/models/embed-test:embedContent", { content: { parts: [{ text: "Porto" }] } });
    expect([other.status, (await other.json()).error.status]).toEqual([404, "NOT_FOUND"]);
    const wrong = await answered(
      "/v1beta/models/x:batchEmbedContents",
      { requests: [embed] },
      { "x-replay-cassette": idOf("embed") },
    );
    expect(wrong.error.message).toContain("another form");
  });

  it("answers Anthropic's models at Vertex AI", async () => {
    const body = { anthropic_version: "vertex-2023-10-16", max_tokens: 9, messages };
    const path = "/v1/projects/p/locations/l/publishers/anthropic/models";
    expect(await answered(`${path}/claude-test:rawPredict`, body)).toMatchObject({
      type: "message",
      content: [{ text }],
    });
    const named = `${path.replace("v1", "v1beta1")}/${modelOf("message")}:streamRawPredict`;
    const streamed = await post(named, { ...body, max_tokens: 5, stream: true });
    expect(streamed.headers.get("x-replay-cassette")).toBe(idOf("message"));
    expect(await streamed.text()).toContain("event: message_stop");
    const wrong = await post(`${path}/claude-test:rawPredict`, { ...body, max_tokens: 0 });
    expect([wrong.status, (await wrong.json()).type]).toEqual([400, "error"]);
  });

  it("plays embeddings that Azure's client recorded at the path of OpenAI, and the other way", async () => {
    const body = { model: "embed-test", input: "Lisbon" };
    for (const path of ["/v1/embeddings", "/openai/deployments/embed-test/embeddings?api-version=2025-01-01"])
      expect((await answered(path, body)).data).toHaveLength(1);
  });

  it("answers the other calls of Ollama's client", async () => {
    const client = new Ollama({ host: served.origin });
    const prompt = "Which city?";
    expect(await client.generate({ model: "llama-test", prompt })).toMatchObject({ response: text, done: true });
    const lines = await client.generate({ model: modelOf("ollama-generate"), prompt: "Anything", stream: true });
    let streamed = "";
    for await (const { response } of lines) streamed += response;
    expect(streamed).toBe(text);
    const chatPlayed = client.generate({ model: modelOf("ollama-chat"), prompt });
    await expect(chatPlayed).rejects.toThrow("a recording of /api/chat, whose answers have another form");
    expect(await client.embed({ model: "embed-test", input: "Lisbon" })).toMatchObject({ embeddings: [[0.125]] });
    expect(await client.embeddings({ model: "embed-test", prompt: "Lisbon" })).toEqual({ embedding: [0.375] });
    await expect(client.embed({ model: "embed-test", input: "Porto" })).rejects.toThrow("No recording fits");
    const { models } = await client.list();
    expect(models.map(({ name }) => name)).toContain(modelOf("ollama-generate"));
    for (const { digest, details } of models) expect([digest.length, details.families]).toEqual([64, []]);
    expect(await client.show({ model: "llama-test" })).toEqual({ capabilities: ["vision"] });
    expect(await client.show({ model: modelOf("ollama-chat") })).toMatchObject({ capabilities: ["completion"] });
    await expect(client.show({ model: modelOf("gemini") })).rejects.toThrow("There is no model");
    await expect(client.show({ model: "a".repeat(70_000) })).rejects.toThrow("maximum of 64 KiB");
    expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("plays what was recorded of Amazon Bedrock, byte for byte", async () => {
    expect(await answered(`${bedrockPath}/converse`, converse)).toEqual({ output: text });
    const other = { messages: [] };
    const whole = await post(`${bedrockPath}/converse-stream`, converse);
    const named = await post(`/model/${encodeURIComponent(modelOf("bedrock-stream"))}/converse-stream`, other);
    const byHeader = await post("/model/any/converse-stream", other, { "x-replay-cassette": idOf("bedrock-stream") });
    for (const response of [whole, named, byHeader]) {
      const { headers } = response;
      expect([headers.get("content-type"), headers.get("x-amzn-requestid")]).toEqual([eventStream, "recorded-1"]);
      expect(Buffer.from(await response.arrayBuffer()).equals(converseStream(text))).toBe(true);
    }
    for (const [path, cassette, type] of [
      ["converse", undefined, "ResourceNotFoundException"],
      ["invoke", idOf("bedrock"), "ValidationException"],
      ["converse", idOf("none"), "ResourceNotFoundException"],
    ] as const) {
      const response = await post(`/model/any/${path}`, other, cassette ? { "x-replay-cassette": cassette } : {});
      const body = await response.json();
      expect([response.headers.get("x-amzn-errortype"), body.__type]).toEqual([type, type]);
      expect(body.message).toMatch(/No recording fits|another form|no cassette/);
    }
    const limited = await post("/model/any/converse", other, { "x-replay-fault": "status=429" });
    expect([limited.status, (await limited.json()).__type]).toEqual([429, "ThrottlingException"]);
  });
});
