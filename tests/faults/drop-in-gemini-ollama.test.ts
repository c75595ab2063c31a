import { type Content, GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baseUrlOf } from "#tests/support/clients/client-list";
import { collect } from "#tests/support/clients/collect";
import { runGemini } from "#tests/support/clients/genai";
import { runOllama } from "#tests/support/clients/ollama";
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
import type { Served } from "#tests/support/serve";

describe.each(["node", "route"] as const)("unmodified clients, answered by the %s adapter", (adapter) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  describe("@google/genai", () => {
    // Version 3 of the client asks for v1.
    const client = (name: string, apiVersion = "v1beta") =>
      new GoogleGenAI({
        apiKey: modelOf(name),
        httpOptions: { baseUrl: baseUrlOf("@google/genai", served.origin), apiVersion, headers },
      });

    it.each([
      ["v1beta", true],
      ["v1beta", false],
      ["v1", true],
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
