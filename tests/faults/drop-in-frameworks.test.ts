import { createAnthropic } from "@ai-sdk/anthropic";
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
import { jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answersOf,
  clientHeaders as headers,
  modelOf,
  serveCassettes,
  twice,
} from "#tests/support/conversation-cassettes";
import {
  inputSchema,
  type Json,
  lastText,
  protocols,
  question,
  runTool,
  tools,
} from "#tests/support/conversation-protocols";
import type { Served } from "#tests/support/serve";

/** What the conversation with the tools is, in a form that all frameworks share. */
type Step = { text: string; calls: { name: string; input: unknown }[] };

function stepsOf(name: "anthropic" | "chat"): Step[] {
  const { provider } = protocols[name];
  return answersOf(name).map((answer) => {
    const { parts } = provider.readAnswer(answer);
    return {
      text: parts.map((part) => (part.kind === "text" ? part.text : "")).join(""),
      calls: parts.flatMap((part) =>
        part.kind === "tool" ? [{ name: part.name, input: JSON.parse(part.input) as unknown }] : [],
      ),
    };
  });
}

describe.each(["node", "route"] as const)("frameworks, answered by the %s adapter", (adapter) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  describe("ai", () => {
    const models: ["anthropic" | "chat", () => LanguageModel][] = [
      [
        "anthropic",
        () => createAnthropic({ baseURL: `${served.origin}/v1`, apiKey: "none", headers })(modelOf("anthropic-1")),
      ],
      [
        "chat",
        () => createOpenAICompatible({ name: "tapedeck", baseURL: `${served.origin}/v1`, headers })(modelOf("chat-1")),
      ],
    ];

    it.each(models)("streams the steps of %s", async (name, model) => {
      const run = async (): Promise<Step[]> => {
        const result = streamText({
          model: model(),
          prompt: question,
          maxOutputTokens: 100,
          maxRetries: 0,
          stopWhen: stepCountIs(5),
          tools: Object.fromEntries(
            tools.map((each) => [
              each.name,
              tool({
                description: each.description,
                inputSchema: jsonSchema<Json>(inputSchema(each)),
                execute: (input) => runTool(each.name, input),
              }),
            ]),
          ),
          onError: ({ error }) => {
            throw error;
          },
        });
        return (await result.steps).map(({ text, toolCalls }) => ({
          text,
          calls: toolCalls.map(({ toolName, input }) => ({ name: toolName, input })),
        }));
      };
      for (const steps of await twice(run)) expect(steps).toEqual(stepsOf(name));
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
          anthropicApiUrl: served.origin,
          maxRetries: 0,
          clientOptions: { defaultHeaders: headers },
        }).bindTools(bound),
      chat: () =>
        new ChatOpenAI({
          model: modelOf("chat-1"),
          apiKey: "none",
          maxRetries: 0,
          configuration: { baseURL: `${served.origin}/v1`, defaultHeaders: headers },
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
        baseURL: `${served.origin}/v1`,
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
