/**
 * Runs one conversation with tools in an agent framework. It is bundled and run by another Node.js beside the newest
 * versions of the packages, without a base URL; prints the steps as JSON.
 */
import { anthropic } from "@ai-sdk/anthropic";
import { openai } from "@ai-sdk/openai";
import { Agent, Runner, tool } from "@openai/agents";
import { inputSchema, question, runTool, tools } from "#tests/support/conversation-protocols";
import { type Step, streamSteps } from "./ai";

/** Runs the conversation with `@openai/agents`, streamed. */
async function runAgent(): Promise<Step[]> {
  const agent = new Agent({
    name: "Traveller",
    model: "gpt-test-1",
    instructions: "Answer briefly.",
    tools: tools.map((each) =>
      tool({
        name: each.name,
        description: each.description,
        parameters: { ...inputSchema(each), additionalProperties: true },
        strict: false,
        execute: (input) => runTool(each.name, input as Record<string, unknown>),
      }),
    ),
  });
  const stream = await new Runner().run(agent, question, { stream: true });
  await stream.completed;
  const calls = stream.newItems.flatMap(({ rawItem }) =>
    rawItem?.type === "function_call" ? [{ name: rawItem.name, input: JSON.parse(rawItem.arguments) as unknown }] : [],
  );
  return [{ text: String(stream.finalOutput), calls }];
}

const clients: Record<string, () => Promise<Step[]>> = {
  "@openai/agents": runAgent,
  "ai with @ai-sdk/openai": () => streamSteps(openai.responses("gpt-test-1")),
  "ai with @ai-sdk/openai, Chat Completions": () => streamSteps(openai.chat("gpt-test-1")),
  "ai with @ai-sdk/anthropic": () => streamSteps(anthropic("claude-test-1")),
};

const [name = ""] = process.argv.slice(2);
console.log(JSON.stringify(await clients[name]?.()));
