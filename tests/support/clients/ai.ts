import { jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { inputSchema, type Json, question, runTool, tools } from "#tests/support/conversation-protocols";

/** What a turn of the conversation with the tools is, in a form that all frameworks share. */
export type Step = { text: string; calls: { name: string; input: unknown }[] };

/** Streams the conversation with the tools, in at most five steps. */
export async function streamSteps(model: LanguageModel): Promise<Step[]> {
  const result = streamText({
    model,
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
  const steps = await result.steps;
  return steps.map(({ text, toolCalls }) => ({
    text,
    calls: toolCalls.map(({ toolName, input }) => ({ name: toolName, input })),
  }));
}
