import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatAnthropic } from "@langchain/anthropic";
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, tool as agentTool, OpenAIResponsesModel, Runner } from "@openai/agents";
import type { LanguageModel } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Step, streamSteps } from "#tests/support/clients/ai";
import { baseUrlOf, type ClientName } from "#tests/support/clients/client-list";
import {
  clientHeaders as headers,
  modelOf,
  serveCassettes,
  stepsOf,
  twice,
} from "#tests/support/conversation-cassettes";
import {
  inputSchema,
  type Json,
  lastText,
  type ProtocolName,
  question,
  runTool,
  tools,
} from "#tests/support/conversation-protocols";
import type { Served } from "#tests/support/serve";

describe.each(["node", "route"] as const)("frameworks, answered by the %s adapter", (adapter) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  describe("ai", () => {
    const settings = (client: ClientName) => ({ baseURL: baseUrlOf(client, served.origin), apiKey: "none", headers });
    const openai = () => createOpenAI(settings("@ai-sdk/openai"));
    const models: [string, ProtocolName, () => LanguageModel][] = [
      ["@ai-sdk/anthropic", "anthropic", () => createAnthropic(settings("@ai-sdk/anthropic"))(modelOf("anthropic-1"))],
      [
        "@ai-sdk/openai-compatible",
        "chat",
        () => createOpenAICompatible({ name: "tapedeck", ...settings("@ai-sdk/openai-compatible") })(modelOf("chat-1")),
      ],
      ["@ai-sdk/openai with Chat Completions", "chat", () => openai().chat(modelOf("chat-1"))],
      ["@ai-sdk/openai with Responses", "responses", () => openai().responses(modelOf("responses-1"))],
      [
        "@ai-sdk/google",
        "gemini",
        () => createGoogleGenerativeAI({ ...settings("@ai-sdk/google"), apiKey: modelOf("gemini-1") })("any"),
      ],
    ];

    it.each(models)("streams the steps of a conversation: %s", async (_name, protocol, model) => {
      for (const steps of await twice(() => streamSteps(model()))) expect(steps).toEqual(stepsOf(protocol));
    });
  });

  describe("LangChain", () => {
    const bound = tools.map((each) => ({
      type: "function" as const,
      function: { name: each.name, description: each.description, parameters: inputSchema(each) },
    }));
    const models = {
      anthropic: () =>
        new ChatAnthropic({
          model: modelOf("anthropic-1"),
          apiKey: "none",
          anthropicApiUrl: baseUrlOf("@langchain/anthropic", served.origin),
          maxRetries: 0,
          clientOptions: { defaultHeaders: headers },
        }).bindTools(bound),
      chat: () =>
        new ChatOpenAI({
          model: modelOf("chat-1"),
          apiKey: "none",
          maxRetries: 0,
          configuration: { baseURL: baseUrlOf("@langchain/openai", served.origin), defaultHeaders: headers },
        }).bindTools(bound),
    };

    async function loop(name: keyof typeof models, isStreamed: boolean): Promise<Step[]> {
      const model = models[name]();
      const messages: BaseMessage[] = [new HumanMessage(question)];
      const steps: Step[] = [];
      for (;;) {
        let message: AIMessage | AIMessageChunk | undefined;
        if (isStreamed) {
          let whole: AIMessageChunk | undefined;
          for await (const chunk of await model.stream(messages)) whole = whole ? whole.concat(chunk) : chunk;
          message = whole;
        } else message = await model.invoke(messages);
        if (!message) throw new Error("no message");
        const calls = message.tool_calls ?? [];
        steps.push({ text: message.text, calls: calls.map(({ name, args }) => ({ name, input: args })) });
        if (calls.length === 0) return steps;
        const results = calls.map(
          ({ id = "", name, args }) => new ToolMessage({ tool_call_id: id, content: runTool(name, args) }),
        );
        messages.push(message, ...results);
      }
    }

    it.each([
      ["anthropic", true],
      ["anthropic", false],
      ["chat", true],
      ["chat", false],
    ] as const)("runs a tool loop of %s, streamed: %s", async (name, isStreamed) => {
      for (const steps of await twice(() => loop(name, isStreamed))) expect(steps).toEqual(stepsOf(name));
    });
  });

  describe("@openai/agents", () => {
    it.each([true, false])("runs an agent, streamed: %s", async (stream) => {
      const client = new OpenAI({
        baseURL: baseUrlOf("@openai/agents", served.origin),
        apiKey: "none",
        maxRetries: 0,
        defaultHeaders: headers,
      });
      const agent = new Agent({
        name: "Packing",
        model: new OpenAIResponsesModel(client, modelOf("responses-1")),
        tools: tools.map((each) =>
          agentTool({
            name: each.name,
            description: each.description,
            parameters: { ...inputSchema(each), additionalProperties: true as const },
            strict: false,
            execute: (input) => runTool(each.name, input as Json),
          }),
        ),
      });
      const run = async () => {
        const runner = new Runner({ tracingDisabled: true });
        if (!stream) return (await runner.run(agent, question)).finalOutput;
        const result = await runner.run(agent, question, { stream: true });
        await result.completed;
        return result.finalOutput;
      };
      for (const output of await twice(run)) expect(output).toBe(lastText);
    });
  });
});
