import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baseUrlOf, pythonPackages } from "#tests/support/clients/client-list";
import {
  bareEnvironment,
  hasPython,
  type Installed,
  installPythonPackages,
} from "#tests/support/clients/install-packages";
import { answersOf, modelOf, serveCassettes, twice } from "#tests/support/conversation-cassettes";
import { type Json, question, runTool } from "#tests/support/conversation-protocols";
import { readProgram } from "#tests/support/run-program";
import type { Served } from "#tests/support/serve";

const script = resolve(import.meta.dirname, "../support/clients/python_clients.py");
const installTimeoutMs = 600_000;

/** What the tools return, by name and argument. */
const outputs = {
  get_forecast: Object.fromEntries(["Lisbon", "Porto"].map((city) => [city, runTool("get_forecast", { city })])),
  to_fahrenheit: { 21: runTool("to_fahrenheit", { celsius: 21 }) },
};

type Results = { anthropic: Json[][]; responses: string[]; gemini: Json[][] };

describe.runIf(hasPython())("the Python SDKs", () => {
  let installed: Installed;
  let folder: string;
  beforeAll(() => {
    installed = installPythonPackages(pythonPackages);
    folder = installed.folder;
  }, installTimeoutMs);
  afterAll(() => installed?.remove());

  describe.each(["node", "route"] as const)("answered by the %s adapter", (adapter) => {
    let served: Served;
    beforeAll(async () => {
      served = await serveCassettes(adapter);
    });
    afterAll(() => served.stop());

    function runClients(): Promise<Results> {
      const { origin } = served;
      const models = { anthropic: modelOf("anthropic-1"), responses: modelOf("responses-1") };
      return readProgram(join(folder, "bin/python"), [script, JSON.stringify({ question, outputs, models })], {
        env: bareEnvironment(folder, {
          ANTHROPIC_BASE_URL: baseUrlOf("anthropic (Python)", origin),
          ANTHROPIC_API_KEY: "none",
          OPENAI_BASE_URL: baseUrlOf("openai (Python)", origin),
          OPENAI_API_KEY: "none",
          GOOGLE_GEMINI_BASE_URL: baseUrlOf("google-genai (Python)", origin),
          GEMINI_API_KEY: modelOf("gemini-1"),
        }),
      });
    }

    it("rebuild the recorded conversations", async () => {
      const texts = answersOf("responses").map(({ output }) =>
        (output as Json[])
          .flatMap(({ content }) => (content as { text: string }[] | undefined)?.[0]?.text ?? [])
          .join(""),
      );
      const parts = answersOf("gemini").map(({ candidates }) =>
        ((candidates as [Json])[0].content as { parts: Json[] }).parts.map(({ text, functionCall }) =>
          text === undefined ? { function_call: functionCall } : { text },
        ),
      );
      for (const results of await twice(runClients)) {
        expect(results.anthropic).toEqual(answersOf("anthropic").map(({ content }) => content));
        expect(results.responses).toEqual(texts);
        expect(results.gemini).toEqual(parts);
      }
    });
  });
});
