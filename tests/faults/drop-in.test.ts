import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { type Content, GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baseUrlOf } from "#tests/support/clients/client-list";
import { collect } from "#tests/support/clients/collect";
import { runGemini } from "#tests/support/clients/genai";
import { runOllama } from "#tests/support/clients/ollama";
import { runChatTools, runResponses } from "#tests/support/clients/openai";
import {
  answerIn,
  answersOf,
  countedPrompt,
  countedTokens,
  embeddedText,
  errorMessage,
  errorPrompt,
  fork,
  clientHeaders as headers,
  idOf,
  modelOf,
  plain,
  repeatedPrompt,
  requestsOf,
  retryAfterSeconds,
  send,
  serveCassettes,
  testedAdapters,
  twice,
  wholePrompt,
  wholeText,
} from "#tests/support/conversation-cassettes";
import {
  inputSchema,
  type Json,
  lastText,
  type ProtocolName,
  protocolNames,
  protocols,
  question,
  runTool,
  tools,
} from "#tests/support/conversation-protocols";
import type { Served } from "#tests/support/serve";

/** How a request finds its cassette. What it gets is the same on both adapters, so these tests need only one. */
let served: Served;
beforeAll(async () => {
  served = await serveCassettes("node");
});
afterAll(() => served.stop());

type Options = Parameters<typeof send>[3];

/** Returns the status of the answer, the cassette, how it was chosen, and the body. */
async function ask(name: ProtocolName, body: Json, options?: Options) {
  const response = await send(served.origin, name, body, options);
  const text = await response.text();
  const [cassette, match] = ["x-replay-cassette", "x-replay-match"].map((header) => response.headers.get(header));
  return { status: response.status, cassette, match, body: text.startsWith("{") ? (JSON.parse(text) as Json) : text };
}

const messageOf = (name: ProtocolName, { status, body }: { status: number; body: unknown }) =>
  errorMessage(name, status, body);

/** Returns a copy in which a tool has returned another temperature. */
function withOtherResult(request: Json): Json {
  return JSON.parse(JSON.stringify(request).replace(/celsius\\":\d+/g, 'celsius\\":-4'));
}

/** Returns a copy in which the ids of calls and responses are others. */
function withOtherIds(request: Json): Json {
  return JSON.parse(JSON.stringify(request).replaceAll(/_(?:authored|chained)_/g, "_changed_"));
}

/** Returns the request after a conversation's last answer. */
function afterLast(name: ProtocolName): Json {
  const { provider, continue: next, requestOf } = protocols[name];
  const [, , request = {}] = requestsOf(name);
  const continued = next(request, answersOf(name)[2] as Json, []);
  const field = provider.historyField.slice(1);
  return { ...continued, [field]: [...(continued[field] as Json[]), (requestOf("And then?")[field] as Json[])[0]] };
}

describe("a named cassette", () => {
  const places: [ProtocolName, string, Options][] = [
    ["chat", "x-replay-cassette", { headers: { "x-replay-cassette": idOf("chat-whole") } }],
    ["chat", "authorization", { headers: { authorization: `Bearer ${modelOf("chat-whole")}` } }],
    ["anthropic", "x-api-key", { headers: { "x-api-key": modelOf("anthropic-whole") } }],
    ["gemini", "x-goog-api-key", { headers: { "x-goog-api-key": modelOf("gemini-whole") } }],
    ["gemini", "?key=", { query: `key=${modelOf("gemini-whole")}` }],
    ["ollama", "authorization", { headers: { authorization: `bearer ${modelOf("ollama-whole")}` } }],
  ];

  it.each(places)("of %s can be named in %s", async (name, _place, options) => {
    const answer = await ask(name, protocols[name].requestOf("Something else"), options);
    expect(answer).toMatchObject({ status: 200, cassette: idOf(`${name}-whole`), match: "name" });
    expect(answer.body).toEqual(answerIn(`${name}-whole`, protocols[name]));
  });

  it("is the model's before the header's before the key's", async () => {
    const headers = { "x-replay-cassette": idOf("chat-1"), authorization: `Bearer ${modelOf("chat-fork-1")}` };
    const request = protocols.chat.requestOf("Something else");
    const byModel = await ask("chat", { ...request, model: modelOf("chat-whole") }, { headers });
    expect(byModel.cassette).toBe(idOf("chat-whole"));
    expect((await ask("chat", request, { headers })).cassette).toBe(idOf("chat-1"));
  });

  it.each([
    ["anthropic", "chat-1", "/v1/chat/completions"],
    ["chat", "anthropic-1", "/v1/messages"],
    ["responses", "gemini-1", "/v1beta/models/{model}:streamGenerateContent"],
    ["gemini", "ollama-1", "/api/chat"],
    ["ollama", "responses-1", "/v1/responses"],
  ] as const)("of another provider than %s is a 400 that names the path", async (name, other, path) => {
    const headers = { "x-replay-cassette": idOf(other) };
    const answer = await ask(name, protocols[name].requestOf(question), { headers });
    expect(answer.status).toBe(400);
    expect(messageOf(name, answer)).toContain(path);
  });

  it.each(protocolNames)("that %s does not have is a 404", async (name) => {
    for (const id of ["developer-tools/none", "nowhere", "../../etc/passwd"]) {
      const headers = { "x-replay-cassette": id };
      const answer = await ask(name, protocols[name].requestOf(question), { headers });
      expect(answer.status).toBe(404);
      expect(messageOf(name, answer)).toContain(id);
    }
  });
});

describe.each(protocolNames)("a conversation of %s", (name) => {
  const requests = requestsOf(name);
  const named = { headers: { "x-replay-cassette": idOf(`${name}-1`) } };
  /** Calls of Gemini and Ollama have no ids. */
  const hasIds = !["gemini", "ollama"].includes(name);

  it("plays each turn for exactly its request, without a name and with one", async () => {
    for (const [index, request] of requests.entries()) {
      const expected = { status: 200, cassette: idOf(`${name}-${index + 1}`), match: "exact" };
      for (const options of [undefined, named]) expect(await ask(name, request, options)).toMatchObject(expected);
    }
  });

  it("plays the turn that continues the same ids, else as many answers, if a tool returned something else", async () => {
    for (const index of [1, 2]) {
      const request = withOtherResult(requests[index] as Json);
      expect(request).not.toEqual(requests[index]);
      const cassette = idOf(`${name}-${index + 1}`);
      const match = hasIds ? "lineage" : "turn";
      expect(await ask(name, request, named)).toMatchObject({ status: 200, cassette, match });
      const unnamed = await ask(name, request);
      if (hasIds) expect(unnamed).toMatchObject({ status: 200, cassette, match });
      else expect(messageOf(name, unnamed)).toContain(idOf(`${name}-1`));
    }
  });

  it("plays the turn with as many answers if the ids are others, but only if it is named", async () => {
    if (!hasIds) return;
    for (const index of [1, 2]) {
      const request = withOtherIds(requests[index] as Json);
      const unnamed = await ask(name, request);
      expect(unnamed.status).toBe(404);
      expect(messageOf(name, unnamed)).toContain("No recording fits");
      const answer = await ask(name, request, named);
      if (name === "chained") expect(messageOf(name, answer)).toMatch(/No recording of .* continues call_changed/);
      else expect(answer).toMatchObject({ status: 200, cassette: idOf(`${name}-${index + 1}`), match: "turn" });
    }
  });

  it("never repeats a turn: a request after the last one is a 404", async () => {
    const request = afterLast(name);
    const answer = await ask(name, request, named);
    expect(answer.status).toBe(404);
    const advice = name === "chained" ? "continues resp_chained_3" : "earlier answers: 0, 1, 2. This one has 3.";
    expect(messageOf(name, answer)).toContain(advice);
    const unnamed = await ask(name, request);
    expect(unnamed.status).toBe(404);
    expect(messageOf(name, unnamed)).toContain("Name a cassette");
  });
});

describe("a request that fits two recordings", () => {
  it("is a 409 that names both, unless it is exactly one of them", async () => {
    for (const model of ["any", modelOf("chat-fork-1")]) {
      const exact = await ask("chat", { ...fork.continueWith("sun"), model });
      expect(exact).toMatchObject({ status: 200, cassette: idOf("chat-fork-sun"), match: "exact" });
      const answer = await ask("chat", { ...fork.continueWith("snow"), model });
      expect(answer.status).toBe(409);
      const message = messageOf("chat", answer);
      for (const name of ["chat-fork-sun", "chat-fork-rain"]) expect(message).toContain(idOf(name));
    }
  });

  it("is the first of them if both are exactly the request", async () => {
    const answer = await ask("chat", protocols.chat.requestOf(repeatedPrompt));
    expect(answer).toMatchObject({ status: 200, cassette: idOf("chat-repeat-1"), match: "exact" });
  });
});

describe("a first turn without a name", () => {
  it.each(protocolNames)(
    "of %s gets a similar prompt of the same provider, or a 404 that names the nearest",
    async (name) => {
      const similar = await ask(name, protocols[name].requestOf(`There? ${wholePrompt}`));
      expect(similar).toMatchObject({ status: 200, match: "nearest" });
      expect(similar.cassette).toBe(idOf(`${name === "chained" ? "responses" : name}-whole`));
      const other = await ask(name, protocols[name].requestOf("Lisbon zzz qqq vvv"));
      expect(other.status).toBe(404);
      expect(messageOf(name, other)).toContain("Nearest: developer-tools/");
    },
  );
});

describe("a cassette of another operation", () => {
  const post = async (path: string, body: Json) => {
    const response = await fetch(served.origin + path, { method: "POST", body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const messages = [{ role: "user", content: question }];

  it("is not played for a request to count tokens: that gets an estimate", async () => {
    const answer = await post("/v1/messages/count_tokens", { model: modelOf("anthropic-1"), messages });
    expect(answer).toEqual({ status: 200, body: { input_tokens: Math.ceil(JSON.stringify(messages).length / 4) } });
  });

  it("is a 400 for embeddings and for answers", async () => {
    const embeddings = await post("/v1/embeddings", { model: modelOf("chat-1"), input: "x" });
    expect(embeddings.status).toBe(400);
    expect(messageOf("chat", embeddings)).toContain("chat-1 is a recording of an answer. This path is for embeddings.");
    const chat = await post("/v1/chat/completions", { model: modelOf("chat-embeddings"), messages });
    expect(chat.status).toBe(400);
    expect(messageOf("chat", chat)).toContain("is a recording of embeddings.");
  });
});

/** The messages of a conversation's answers in Chat Completions. */
const chatMessages = () => answersOf("chat").map(({ choices }) => (choices as { message: object }[])[0]?.message);

describe.each(testedAdapters)("unmodified clients, answered by the %s adapter", (adapter) => {
  let app: Served;
  beforeAll(async () => {
    app = adapter === "node" ? served : await serveCassettes(adapter);
  });
  afterAll(async () => {
    if (app !== served) await app.stop();
  });

  describe("@anthropic-ai/sdk", () => {
    const client = () =>
      new Anthropic({
        baseURL: baseUrlOf("@anthropic-ai/sdk", app.origin),
        apiKey: "none",
        maxRetries: 0,
        defaultHeaders: headers,
      });
    const body = (name: string) => ({
      model: modelOf(name),
      max_tokens: 100,
      messages: [{ role: "user" as const, content: question }],
      tools: tools.map((tool) => ({ name: tool.name, input_schema: inputSchema(tool) })),
    });

    /** Runs the loop by hand, with each way of asking. */
    async function loop(ask: (body: Anthropic.MessageCreateParamsNonStreaming) => Promise<Anthropic.Message>) {
      const request: Anthropic.MessageCreateParamsNonStreaming = body("anthropic-1");
      for (const answers: Anthropic.Message[] = []; ; ) {
        const answer = await ask(request);
        answers.push(answer);
        if (answer.stop_reason !== "tool_use") return plain(answers);
        const content = answer.content.flatMap((block) =>
          block.type === "tool_use"
            ? [
                {
                  type: "tool_result" as const,
                  tool_use_id: block.id,
                  content: runTool(block.name, block.input as Record<string, unknown>),
                },
              ]
            : [],
        );
        request.messages.push({ role: "assistant", content: answer.content }, { role: "user", content });
      }
    }

    it("runs a tool loop with streams and without", async () => {
      const expected = answersOf("anthropic");
      const streams = await twice(() => loop((request) => client().messages.stream(request).finalMessage()));
      const wholes = await twice(() => loop((request) => client().messages.create(request)));
      for (const answers of [...streams, ...wholes]) expect(answers).toMatchObject(expected);
    });

    it.each([true, false])("runs a tool loop with the tool runner, stream: %s", async (stream) => {
      const runnable = tools.map((tool) =>
        betaTool({
          name: tool.name,
          description: tool.description,
          inputSchema: inputSchema(tool),
          run: (input) => runTool(tool.name, input as Record<string, unknown>),
        }),
      );
      const run = async () =>
        client()
          .beta.messages.toolRunner({ ...body("anthropic-1"), tools: runnable, stream })
          .runUntilDone();
      for (const message of await twice(run)) expect(plain(message)).toMatchObject(answersOf("anthropic")[2] as object);
    });

    it("counts tokens, as recorded or estimated", async () => {
      const countOf = async (content: string) =>
        (await client().messages.countTokens({ model: "any", messages: [{ role: "user", content }] })).input_tokens;
      expect(await countOf(countedPrompt)).toBe(countedTokens);
      expect(await countOf("x".repeat(400))).toBeGreaterThanOrEqual(100);
    });

    it("raises a recorded error with its headers", async () => {
      const request = { ...body("anthropic-error"), messages: [{ role: "user" as const, content: errorPrompt }] };
      const error = await client()
        .messages.create(request)
        .catch((thrown) => thrown);
      expect(error).toBeInstanceOf(Anthropic.RateLimitError);
      expect(error.headers.get("retry-after")).toBe(String(retryAfterSeconds));
      expect(error.requestID).toBe("req_authored_1");
    });
  });

  describe("openai", () => {
    const client = () =>
      new OpenAI({ baseURL: baseUrlOf("openai", app.origin), apiKey: "none", maxRetries: 0, defaultHeaders: headers });
    const chatBody = () => ({ model: modelOf("chat-1"), messages: [{ role: "user" as const, content: question }] });
    it("runs a tool loop with runTools, with streams and without", async () => {
      const run = async (stream: boolean) => {
        const messages = plain(await runChatTools(client(), { model: modelOf("chat-1"), stream }));
        expect(messages.at(-1).content).toBe(lastText);
        return messages;
      };
      const results = [...(await twice(() => run(true))), ...(await twice(() => run(false)))];
      for (const messages of results) expect(messages).toMatchObject(chatMessages().map(plain));
    });

    it("streams and returns a completion", async () => {
      const stream = client().chat.completions.stream({ ...chatBody(), stream_options: { include_usage: true } });
      const [first] = answersOf("chat");
      expect(plain(await stream.finalChatCompletion())).toMatchObject(plain(first));
      expect(plain(await client().chat.completions.create(chatBody()))).toEqual(plain(first));
    });

    it("ends a stream with its usage only if that is asked for", async () => {
      const usages = async (stream_options?: { include_usage: boolean }) => {
        const model = modelOf("chat-whole");
        const messages = [{ role: "user" as const, content: "Hello" }];
        const chunks = await client().chat.completions.create({ model, messages, stream: true, stream_options });
        const found = [];
        for await (const { choices, usage } of chunks) if (choices.length === 0) found.push(usage);
        return found;
      };
      expect([await usages(), await usages({ include_usage: false })]).toEqual([[], []]);
      expect(await usages({ include_usage: true })).toEqual([
        expect.objectContaining({ completion_tokens: expect.any(Number) }),
      ]);
    });

    it("returns embeddings, by name and by the exact request", async () => {
      for (const model of ["any", modelOf("chat-embeddings")]) {
        const { data } = await client().embeddings.create({ model, input: embeddedText, encoding_format: "float" });
        expect(data[0]?.embedding).toEqual([0.25, -0.5, 0.125]);
      }
    });

    it.each([
      ["chained", true],
      ["chained", false],
      ["responses", true],
      ["responses", false],
    ] as const)("runs a tool loop of %s, stream: %s", async (name, stream) => {
      const run = () => runResponses(client(), { model: modelOf(`${name}-1`), stream, isChained: name === "chained" });
      for (const answers of await twice(run)) {
        expect(plain(answers)).toMatchObject(plain(answersOf(name)));
        expect(answers.at(-1)?.output_text).toBe(lastText);
      }
    });

    it("raises a recorded error with its headers", async () => {
      const error = await client()
        .chat.completions.create({ ...chatBody(), model: modelOf("chat-error") })
        .catch((thrown) => thrown);
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(error.requestID).toBe("req_authored_1");
    });
  });

  describe("@google/genai", () => {
    // Version 3 of the client asks for v1.
    const client = (name: string, apiVersion = "v1beta") =>
      new GoogleGenAI({
        apiKey: modelOf(name),
        httpOptions: { baseUrl: baseUrlOf("@google/genai", app.origin), apiVersion, headers },
      });

    it.each([
      ["v1beta", true],
      ["v1", false],
    ] as const)("runs a tool loop named by its API key at %s, streamed: %s", async (version, isStreamed) => {
      const expected = answersOf("gemini").map(({ candidates }) => (candidates as { content: Content }[])[0]?.content);
      for (const contents of await twice(() => runGemini(client("gemini-1", version), isStreamed)))
        expect(plain(contents)).toEqual(expected.map(plain));
    });

    it("raises a recorded error", async () => {
      const request = { model: "gemini-any", contents: errorPrompt };
      await expect(client("gemini-error").models.generateContent(request)).rejects.toMatchObject({ status: 429 });
    });
  });

  describe("ollama", () => {
    const client = () => new Ollama({ host: baseUrlOf("ollama", app.origin), headers });

    it.each([true, false])("runs a tool loop, streamed: %s", async (isStreamed) => {
      const expected = answersOf("ollama").map(({ message }) => message);
      const run = () => runOllama(client(), { model: modelOf("ollama-1"), isStreamed });
      for (const messages of await twice(run)) expect(messages).toEqual(expected);
    });

    it("streams what was recorded whole, and raises a recorded error", async () => {
      const ask = (name: string) =>
        client().chat({ model: modelOf(name), messages: [{ role: "user", content: "x" }], stream: true });
      const lines = await collect(await ask("ollama-whole"));
      expect(lines.map(({ message }) => message.content).join("")).toBe(wholeText);
      await expect(ask("ollama-error")).rejects.toThrow("Too fast.");
    });
  });
});
