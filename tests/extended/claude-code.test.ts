import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AgentMessage,
  agentPrompt,
  agentText,
  agentWorkspace,
  notes,
  recordedBlocks,
  refuseOutbound,
  saidBlocks,
  toolResults,
  type Workspace,
} from "#tests/support/clients/agent-conversation";
import { baseUrlOf, type ClientName, claudeCodePackages } from "#tests/support/clients/client-list";
import { bareEnvironment, type Installed, installPackages, nodeOf } from "#tests/support/clients/install-packages";
import { twice } from "#tests/support/conversation-cassettes";
import { runProgram } from "#tests/support/run-program";
import { idOf, modelOf, serveSealed } from "#tests/support/seal-conversation";
import type { Served } from "#tests/support/serve";
import { temporaryFolder } from "#tests/support/temporary-folder";

const support = resolve(import.meta.dirname, "../support/clients");
const installTimeoutMs = 600_000;
const name = idOf("agent-1");

const folder = temporaryFolder();
let installed: Installed;
let workspace: Workspace;
let outbound: Awaited<ReturnType<typeof refuseOutbound>>;
let node: string;

beforeAll(async () => {
  node = nodeOf("22");
  installed = installPackages(claudeCodePackages);
  copyFileSync(join(support, "agent-sdk.mjs"), join(installed.folder, "agent-sdk.mjs"));
  workspace = agentWorkspace("agent", folder);
  outbound = await refuseOutbound();
}, installTimeoutMs);
afterAll(() => {
  outbound?.stop();
  installed?.remove();
});

type Run = { command: string; args: string[]; environment: Record<string, string> };

/** Runs an agent in the workspace; returns the messages that it prints. */
async function run({ command, args, environment }: Run): Promise<AgentMessage[]> {
  const { stdout, stderr } = await runProgram(command, args, {
    cwd: workspace.folder,
    env: bareEnvironment(workspace.folder, {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      HTTPS_PROXY: outbound.url,
      HTTP_PROXY: outbound.url,
      NO_PROXY: "127.0.0.1",
      ...environment,
    }),
  });
  if (stdout === "") throw new Error(`The agent printed nothing: ${stderr}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function claudeCode(environment: Record<string, string>): Promise<AgentMessage[]> {
  const command = join(installed.folder, "node_modules/.bin/claude");
  const options = ["--output-format", "stream-json", "--verbose", "--allowedTools", "Bash", "Read"];
  return run({ command, args: ["-p", agentPrompt, ...options], environment });
}

function agentSdk(environment: Record<string, string>): Promise<AgentMessage[]> {
  return run({ command: node, args: [join(installed.folder, "agent-sdk.mjs"), agentPrompt], environment });
}

function expectConversation(messages: readonly AgentMessage[]) {
  expect(messages.at(-1)).toMatchObject({ type: "result", is_error: false, result: agentText });
  expect(saidBlocks(messages)).toEqual(recordedBlocks(workspace.turns));
  const results = toolResults(messages);
  expect(results).toHaveLength(3);
  for (const result of results) expect(result).toContain(notes);
}

const sequence = ["overloaded", name, "429", name, name].join(",");

describe.each(["node", "route"] as const)("coding agents, answered by the %s adapter", (adapter) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveSealed(adapter, workspace.cassettes);
  });
  afterAll(() => served.stop());

  const baseUrl = (client: ClientName) => ({ ANTHROPIC_BASE_URL: baseUrlOf(client, served.origin) });

  it("Claude Code runs its tools in a conversation named by its key, and connects to nothing else", async () => {
    const environment = { ...baseUrl("@anthropic-ai/claude-code"), ANTHROPIC_API_KEY: modelOf("agent-1") };
    for (const messages of await twice(() => claudeCode(environment))) expectConversation(messages);
    expect(outbound.targets).toEqual([]);
  });

  it("Claude Code repeats requests that fail with an overload or a rate limit", async () => {
    const headers = [`x-replay-test: claude code ${adapter}`, `x-replay-sequence: ${sequence}`];
    const environment = { ANTHROPIC_API_KEY: "none", ANTHROPIC_CUSTOM_HEADERS: headers.join("\n") };
    expectConversation(await claudeCode({ ...baseUrl("@anthropic-ai/claude-code"), ...environment }));
  });

  it("the Claude Agent SDK runs its tools in a conversation named by a header", async () => {
    const environment = { ANTHROPIC_API_KEY: "none", ANTHROPIC_CUSTOM_HEADERS: `x-replay-cassette: ${name}` };
    const run = () => agentSdk({ ...baseUrl("@anthropic-ai/claude-agent-sdk"), ...environment });
    for (const messages of await twice(run)) expectConversation(messages);
    expect(outbound.targets).toEqual([]);
  });
});
