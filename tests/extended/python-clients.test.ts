import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childEnvironment } from "#lib/platform/config";
import { baseUrlOf, pythonPackages } from "#tests/support/clients/client-list";
import { bareEnvironment } from "#tests/support/clients/install-packages";
import { answersOf, modelOf, serveCassettes, twice } from "#tests/support/conversation-cassettes";
import { type Json, question, runTool } from "#tests/support/conversation-protocols";
import type { Served } from "#tests/support/serve";

const script = resolve(import.meta.dirname, "../support/clients/python_clients.py");
const installTimeoutMs = 600_000;
const hasPython = spawnSync("python3", ["-m", "venv", "--help"]).status === 0;

/** Runs a command to its end. Throws with its output if it fails. */
function run(command: string, args: string[]): void {
  // An index that does not answer is not asked again.
  const env = childEnvironment({ PIP_RETRIES: "0" });
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: installTimeoutMs, env });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
}

/** What the tools return, by name and argument. */
const outputs = {
  get_forecast: Object.fromEntries(["Lisbon", "Porto"].map((city) => [city, runTool("get_forecast", { city })])),
  to_fahrenheit: { 21: runTool("to_fahrenheit", { celsius: 21 }) },
};

type Results = { anthropic: Json[][]; responses: string[]; gemini: Json[][] };

describe.runIf(hasPython)("the Python SDKs", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tapedeck-python-"));
    run("python3", ["-m", "venv", folder]);
    const versions = pythonPackages.map((each) => each.replace("@", "==")).map((each) => `${each}.*`);
    run(join(folder, "bin/pip"), ["install", "--quiet", ...versions]);
  }, installTimeoutMs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(["node", "route"] as const)("answered by the %s adapter", (adapter) => {
    let served: Served;
    beforeAll(async () => {
      served = await serveCassettes(adapter);
    });
    afterAll(() => served.stop());

    async function runClients(): Promise<Results> {
      const { origin } = served;
      const models = { anthropic: modelOf("anthropic-1"), responses: modelOf("responses-1") };
      const child = spawn(join(folder, "bin/python"), [script, JSON.stringify({ question, outputs, models })], {
        env: bareEnvironment(folder, {
          ANTHROPIC_BASE_URL: baseUrlOf("anthropic (Python)", origin),
          ANTHROPIC_API_KEY: "none",
          OPENAI_BASE_URL: baseUrlOf("openai (Python)", origin),
          OPENAI_API_KEY: "none",
          GOOGLE_GEMINI_BASE_URL: baseUrlOf("google-genai (Python)", origin),
          GEMINI_API_KEY: modelOf("gemini-1"),
        }),
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
      if (child.exitCode !== 0) throw new Error(errors);
      return JSON.parse(output);
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
