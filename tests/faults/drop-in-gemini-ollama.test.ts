import { type Content, createPartFromFunctionResponse, GoogleGenAI } from "@google/genai";
import { type Message, Ollama } from "ollama";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answersOf,
  errorPrompt,
  clientHeaders as headers,
  modelOf,
  plain,
  serveCassettes,
  twice,
  wholeText,
} from "#tests/support/conversation-cassettes";
import { inputSchema, question, runTool, tools } from "#tests/support/conversation-protocols";
import type { Served } from "#tests/support/serve";

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe.each(["node", "route"] as const)("unmodified clients, answered by the %s adapter", (adapter) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  describe("@google/genai", () => {
    const client = (name: string) =>
      new GoogleGenAI({ apiKey: modelOf(name), httpOptions: { baseUrl: served.origin, headers } });
    const config = {
      tools: [
        {
          functionDeclarations: tools.map((tool) => ({
            name: tool.name,
            description: tool.description,
            parametersJsonSchema: inputSchema(tool),
          })),
        },
      ],
    };

    async function loop(isStreamed: boolean) {
      const { models } = client("gemini-1");
      const contents: Content[] = [{ role: "user", parts: [{ text: question }] }];
      for (;;) {
        const request = { model: "gemini-any", contents: structuredClone(contents), config };
        const answers = isStreamed
          ? await collect(await models.generateContentStream(request))
          : [await models.generateContent(request)];
        const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
        contents.push({ role: "model", parts });
        const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
        if (calls.length === 0) return contents.filter(({ role }) => role === "model");
        const results = calls.map(({ id, name = "", args = {} }) =>
          createPartFromFunctionResponse(id ?? "", name, { output: runTool(name, args) }),
        );
        contents.push({ role: "user", parts: results });
      }
    }

    it.each([true, false])("runs a tool loop named by its API key, streamed: %s", async (isStreamed) => {
      const expected = answersOf("gemini").map(({ candidates }) => (candidates as { content: Content }[])[0]?.content);
      for (const contents of await twice(() => loop(isStreamed))) expect(plain(contents)).toEqual(expected.map(plain));
    });

    it("raises a recorded error", async () => {
      const request = { model: "gemini-any", contents: errorPrompt };
      await expect(client("gemini-error").models.generateContent(request)).rejects.toMatchObject({ status: 429 });
    });
  });

  describe("ollama", () => {
    const client = () => new Ollama({ host: served.origin, headers });

    async function loop(isStreamed: boolean) {
      const messages: Message[] = [{ role: "user", content: question }];
      const request = { model: modelOf("ollama-1"), messages };
      for (;;) {
        const lines = isStreamed
          ? await collect(await client().chat({ ...request, stream: true }))
          : [await client().chat(request)];
        expect(lines.at(-1)?.done).toBe(true);
        const calls = lines.flatMap(({ message }) => message.tool_calls ?? []);
        const content = lines.map(({ message }) => message.content).join("");
        messages.push({ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) });
        if (calls.length === 0) return messages.filter(({ role }) => role === "assistant");
        for (const { function: called } of calls) {
          messages.push({ role: "tool", tool_name: called.name, content: runTool(called.name, called.arguments) });
        }
      }
    }

    it.each([true, false])("runs a tool loop, streamed: %s", async (isStreamed) => {
      const expected = answersOf("ollama").map(({ message }) => message);
      for (const messages of await twice(() => loop(isStreamed))) expect(messages).toEqual(expected);
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
