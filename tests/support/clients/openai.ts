import type OpenAI from "openai";
import { functionOutputs, inputSchema, question, runTool, tools } from "#tests/support/conversation-protocols";

const runnableTools = () =>
  tools.map((tool) => ({
    type: "function" as const,
    function: {
      name: tool.name,
      description: tool.description,
      parameters: inputSchema(tool),
      parse: JSON.parse,
      function: (input: Record<string, unknown>) => runTool(tool.name, input),
    },
  }));

/** Runs the conversation with Chat Completions and `runTools`; returns its messages. */
export async function runChatTools(client: OpenAI, { model, stream }: { model: string; stream: boolean }) {
  const params = { model, messages: [{ role: "user" as const, content: question }], tools: runnableTools() };
  const runner = stream
    ? client.chat.completions.runTools({ ...params, stream })
    : client.chat.completions.runTools({ ...params, stream: false });
  await runner.finalContent();
  return runner.messages.filter(({ role }) => role === "assistant");
}

type ResponsesInput = { model: string; stream: boolean; isChained: boolean };

/** Runs the conversation with Responses: chained by ids, or with the complete history in each request. */
export async function runResponses(client: OpenAI, { model, stream, isChained }: ResponsesInput) {
  const answers: OpenAI.Responses.Response[] = [];
  let input: OpenAI.Responses.ResponseInput = [{ role: "user", content: question }];
  let previous_response_id: string | undefined;
  for (;;) {
    const body = { model, input, previous_response_id };
    const answer = stream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
    answers.push(answer);
    const calls = answer.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
    if (calls.length === 0) return answers;
    const results = functionOutputs(
      calls.map((call) => ({
        id: call.call_id,
        name: call.name,
        output: runTool(call.name, JSON.parse(call.arguments)),
      })),
    );
    if (isChained) [input, previous_response_id] = [results, answer.id];
    else input = [...input, ...answer.output, ...results] as OpenAI.Responses.ResponseInput;
  }
}
