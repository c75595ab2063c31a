import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baseUrlOf, newestPackages } from "#tests/support/clients/client-list";
import {
  bareEnvironment,
  bundleInto,
  type Installed,
  installPackages,
  nodeOf,
} from "#tests/support/clients/install-packages";
import type { NewestInput, NewestResults } from "#tests/support/clients/newest";
import {
  answersOf,
  modelOf,
  plain,
  serveCassettes,
  stepsOf,
  twice,
  wholeText,
} from "#tests/support/conversation-cassettes";
import type { Json } from "#tests/support/conversation-protocols";
import { readProgram } from "#tests/support/run-program";
import type { Served } from "#tests/support/serve";

const installTimeoutMs = 600_000;

let installed: Installed;
let bundle: string;

beforeAll(async () => {
  installed = installPackages(newestPackages);
  bundle = await bundleInto(installed, "tests/support/clients/newest.ts");
}, installTimeoutMs);
afterAll(() => installed?.remove());

const input = (origin: string): NewestInput => ({
  models: {
    anthropic: modelOf("anthropic-1"),
    chat: modelOf("chat-1"),
    responses: modelOf("responses-1"),
    chained: modelOf("chained-1"),
    ollama: modelOf("ollama-1"),
    bedrock: modelOf("bedrock-stream"),
  },
  geminiKey: modelOf("gemini-1"),
  azureBaseUrl: `${origin}/openai`,
  googleBaseUrl: baseUrlOf("@ai-sdk/google", origin),
  ollamaBaseUrl: baseUrlOf("ollama", origin),
});

/** What the clients read from the environment. */
const variables = (origin: string) => ({
  // For `@anthropic-ai/sdk` too, which adds /v1 to it once more.
  ANTHROPIC_BASE_URL: baseUrlOf("@ai-sdk/anthropic", origin),
  ANTHROPIC_API_KEY: "none",
  // For `openai` and `@ai-sdk/openai`.
  OPENAI_BASE_URL: baseUrlOf("openai", origin),
  OPENAI_API_KEY: "none",
  GOOGLE_GEMINI_BASE_URL: baseUrlOf("@google/genai", origin),
  GEMINI_API_KEY: modelOf("gemini-1"),
  AWS_ENDPOINT_URL: baseUrlOf("@aws-sdk/client-bedrock-runtime", origin),
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "none",
  AWS_SECRET_ACCESS_KEY: "none",
});

/** Runs every client in a new process. */
function runClients(node: string, origin: string): Promise<NewestResults> {
  const env = bareEnvironment(installed.folder, variables(origin));
  return readProgram(node, [bundle, JSON.stringify(input(origin))], { env });
}

describe.each(["node", "route"] as const)("the newest clients, answered by the %s adapter", (adapter) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  it.each(["22", "24"])("rebuild the recorded conversations on Node.js %s", async (version) => {
    const node = nodeOf(version);
    const messagesOf = (answers: Json[]) => answers.map(({ choices }) => (choices as Json[])[0]?.message as object);
    for (const results of await twice(() => runClients(node, served.origin))) {
      expect(results.node.split(".")[0]).toBe(version);
      for (const name of ["anthropic", "chat", "responses", "gemini"] as const) {
        expect({ [name]: results.ai[name] }).toEqual({ [name]: stepsOf(name) });
      }
      expect(results.message).toMatchObject(plain(answersOf("anthropic")[0]));
      expect(results.chat).toMatchObject(messagesOf(answersOf("chat")).map(plain));
      expect(results.azure).toMatchObject(messagesOf(answersOf("chat")).map(plain));
      expect(results.bedrock).toBe(wholeText);
      expect(results.responses).toMatchObject(plain(answersOf("responses")));
      expect(results.chained).toMatchObject(plain(answersOf("chained")));
      const contents = answersOf("gemini").map(({ candidates }) => (candidates as Json[])[0]?.content);
      expect(results.gemini).toEqual(contents.map(plain));
      expect(results.ollama).toEqual(answersOf("ollama").map(({ message }) => message));
    }
  });
});
