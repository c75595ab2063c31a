import type { Message, Ollama } from "ollama";
import { question, runTool } from "#tests/support/conversation-protocols";
import { collect } from "./collect";

type Input = { model: string; isStreamed: boolean };

/** Runs the conversation with the tools; returns the messages of the model. Throws if an answer has no end. */
export async function runOllama(client: Ollama, { model, isStreamed }: Input): Promise<Message[]> {
  const messages: Message[] = [{ role: "user", content: question }];
  const request = { model, messages };
  for (;;) {
    const lines = isStreamed
      ? await collect(await client.chat({ ...request, stream: true }))
      : [await client.chat(request)];
    if (lines.at(-1)?.done !== true) throw new Error("The answer has no end.");
    const calls = lines.flatMap(({ message }) => message.tool_calls ?? []);
    const content = lines.map(({ message }) => message.content).join("");
    messages.push({ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) });
    if (calls.length === 0) return messages.filter(({ role }) => role === "assistant");
    for (const { function: called } of calls) {
      messages.push({ role: "tool", tool_name: called.name, content: runTool(called.name, called.arguments) });
    }
  }
}
