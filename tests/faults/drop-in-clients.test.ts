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
  answersOf,
  countedPrompt,
  countedTokens,
  embeddedText,
  errorPrompt,
  clientHeaders as headers,
  modelOf,
  plain,
  retryAfterSeconds,
  serveCassettes,
  testedAdapters,
  twice,
  wholeText,
} from "#tests/support/conversation-cassettes";
import { inputSchema, lastText, question, runTool, tools } from "#tests/support/conversation-protocols";
import type { Served } from "#tests/support/serve";

/** The messages of a conversation's answers in Chat Completions. */
const chatMessages = () => answersOf("chat").map(({ choices }) => (choices as { message: object }[])[0]?.message);

describe.each(testedAdapters)("unmodified clients, answered by the %s adapter", (adapter) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  describe("@anthropic-ai/sdk", () => {
    const client = () =>
      new Anthropic({
        baseURL: baseUrlOf("@anthropic-ai/sdk", served.origin),
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

    it("finds a conversation without a name, by its question and then by its ids", async () => {
      const answers = await loop((request) => client().messages.create({ ...request, model: "any" }));
      expect(answers).toMatchObject(answersOf("anthropic"));
    });

    it("counts tokens, as recorded or estimated, and lists models", async () => {
      const countOf = async (content: string) =>
        (await client().messages.countTokens({ model: "any", messages: [{ role: "user", content }] })).input_tokens;
      expect(await countOf(countedPrompt)).toBe(countedTokens);
      expect(await countOf("x".repeat(400))).toBeGreaterThanOrEqual(100);
      const ids: string[] = [];
      for await (const { id } of client().models.list()) ids.push(id);
      expect(ids).toEqual(expect.arrayContaining([modelOf("anthropic-1"), modelOf("anthropic-whole")]));
      expect(ids).not.toContain(modelOf("chat-1"));
      expect(ids).not.toContain(modelOf("anthropic-2"));
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
      new OpenAI({
        baseURL: baseUrlOf("openai", served.origin),
        apiKey: "none",
        maxRetries: 0,
        defaultHeaders: headers,
      });
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

    it("streams and returns a completion, and lists models", async () => {
      const stream = client().chat.completions.stream({ ...chatBody(), stream_options: { include_usage: true } });
      const [first] = answersOf("chat");
      expect(plain(await stream.finalChatCompletion())).toMatchObject(plain(first));
      expect(plain(await client().chat.completions.create(chatBody()))).toEqual(plain(first));
      const ids: string[] = [];
      for await (const { id } of client().models.list()) ids.push(id);
      expect(ids).toEqual(expect.arrayContaining([modelOf("chat-1"), modelOf("responses-1")]));
      expect(ids).not.toContain(modelOf("anthropic-1"));
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
        httpOptions: { baseUrl: baseUrlOf("@google/genai", served.origin), apiVersion, headers },
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
    const client = () => new Ollama({ host: baseUrlOf("ollama", served.origin), headers });

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
