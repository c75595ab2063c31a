import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AgentMessage,
  agentPrompt,
  agentText,
  agentWorkspace,
  refuseOutbound,
  type Workspace,
} from "#tests/support/clients/agent-conversation";
import { startAuthoredProvider } from "#tests/support/clients/authored-provider";
import { claudeCodePackages, newestPackages } from "#tests/support/clients/client-list";
import { bundleInto, type Installed, installPackages, nodeOf } from "#tests/support/clients/install-packages";
import { lastText, type Protocol, protocols, turnsOf } from "#tests/support/conversation-protocols";
import { repeatedTimeoutMs } from "#tests/support/extended";
import type { ProviderDouble } from "#tests/support/provider-double";
import { runCli } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

const installTimeoutMs = 600_000;
const replayCount = 20;
const replayTimeoutMs = repeatedTimeoutMs(replayCount);

let node: string;
let outbound: Awaited<ReturnType<typeof refuseOutbound>>;
let server: ProviderDouble;

beforeAll(async () => {
  node = nodeOf("22");
  outbound = await refuseOutbound();
}, installTimeoutMs);
afterAll(() => outbound?.stop());

type Environment = Record<string, string | undefined>;

/** Runs `tapedeck` in a folder, with none of this process's settings of providers. */
function tapedeck(folder: string, args: readonly string[], environment: Environment = {}) {
  const unset = {
    CI: undefined,
    ANTHROPIC_API_KEY: undefined,
    ANTHROPIC_BASE_URL: undefined,
    OPENAI_BASE_URL: undefined,
  };
  const isolated = { HTTPS_PROXY: outbound.url, HTTP_PROXY: outbound.url, NO_PROXY: "127.0.0.1", HOME: folder };
  return runCli(args, {
    cwd: folder,
    environment: { ...unset, OPENAI_API_KEY: undefined, ...isolated, ...environment },
  });
}

const summaryOf = (counts: string) => expect.stringMatching(new RegExp(`^tapedeck: ${counts}$`, "m"));

describe("a coding agent", () => {
  let installed: Installed;
  let workspace: Workspace;

  beforeAll(() => {
    installed = installPackages(claudeCodePackages);
    const program = resolve(import.meta.dirname, "../support/clients/agent-sdk.mjs");
    copyFileSync(program, join(installed.folder, "agent-sdk.mjs"));
  }, installTimeoutMs);
  afterAll(() => installed?.remove());
  beforeEach(() => {
    workspace = agentWorkspace("agent", temporaryFolder());
  });

  const claudeCode = (...options: string[]) => [
    join(installed.folder, "node_modules/.bin/claude"),
    ...["-p", agentPrompt, "--output-format", "stream-json", "--verbose", ...options],
    ...["--allowedTools", "Bash", "Read"],
  ];
  const excludeDynamic = "--exclude-dynamic-system-prompt-sections";
  /** Without it, Claude Code also asks for a title of the session, at the same time as for the first answer. */
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  const agentSdk = () => [node, join(installed.folder, "agent-sdk.mjs"), agentPrompt];

  function run(args: readonly string[], command: readonly string[], environment: Environment = {}) {
    return tapedeck(workspace.folder, ["run", ...args, "--", ...command], { ...quiet, ...environment });
  }

  /** Starts the provider behind its own address. Without a base URL, Claude Code sends other texts than with one. */
  async function startProvider(): Promise<ProviderDouble> {
    const started = await startAuthoredProvider(protocols.anthropic, workspace.turns);
    const addresses = { "api.anthropic.com": started.origin };
    writeFileSync(join(workspace.folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
    return started;
  }

  async function record(command: readonly string[], environment: Environment = {}) {
    server = await startProvider();
    const settings = { ANTHROPIC_API_KEY: "sk-ant-none", ...environment };
    const recorded = await run(["--mode", "record", "--strict"], command, settings);
    expect(recorded).toMatchObject({ code: 0, stderr: summaryOf("0 played, 3 recorded, 0 missed, 0 unused") });
    await server.close();
  }

  /** Replays once, without key and provider; the agent must come to its end. */
  async function expectReplay(command: readonly string[], environment: Environment = {}) {
    const replayed = await run(["--mode", "replay", "--complete"], command, environment);
    expect(replayed).toMatchObject({ code: 0, stderr: summaryOf("3 played, 0 recorded, 0 missed, 0 unused") });
    const messages = replayed.stdout
      .trim()
      .split("\n")
      .map((line): AgentMessage => JSON.parse(line));
    expect(messages.at(-1)).toMatchObject({ type: "result", is_error: false, result: agentText });
  }

  it.each([
    ["Claude Code", () => claudeCode()],
    ["the Claude Agent SDK", agentSdk],
  ])(
    `%s is recorded once and replayed ${replayCount} times without a miss`,
    async (_name, commandOf) => {
      await record(commandOf());
      for (let count = 0; count < replayCount; count += 1) await expectReplay(commandOf());
      expect(outbound.targets).toEqual([]);
    },
    replayTimeoutMs,
  );

  it.each([
    ["Claude Code", () => claudeCode()],
    ["the Claude Agent SDK", agentSdk],
  ])("%s is recorded with nothing but a key, and replayed with the provider stopped", async (_name, commandOf) => {
    server = await startProvider();
    const run = (mode: string, environment: Environment) =>
      tapedeck(workspace.folder, ["run", "--mode", mode, "--strict", "--", ...commandOf()], environment);
    const recorded = await run("record", { ANTHROPIC_API_KEY: "sk-ant-none" });
    const { length } = server.requests;
    expect(recorded).toMatchObject({ code: 0, stderr: summaryOf(`0 played, ${length} recorded, 0 missed, 0 unused`) });
    expect(length).toBeGreaterThanOrEqual(3);
    await server.close();
    const replayed = await run("replay", {});
    expect(replayed).toMatchObject({ code: 0, stderr: summaryOf(`${length} played, 0 recorded, 0 missed, 0 unused`) });
    expect(replayed.stdout).toContain(JSON.stringify(agentText));
  });

  // At any moment, it is another day in the second place than in the first.
  const [firstDay, nextDay] = [{ TZ: "Pacific/Kiritimati" }, { TZ: "Pacific/Pago_Pago" }];
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...args], {
      cwd: workspace.folder,
    });

  it.each([
    ["Claude Code", () => claudeCode()],
    ["Claude Code without what changes in its system prompt", () => claudeCode(excludeDynamic)],
    ["the Claude Agent SDK", agentSdk],
  ])("on another day and after a commit, %s needs nothing declared", async (_name, commandOf) => {
    git("init", "--quiet");
    git("add", "notes.txt");
    git("commit", "--quiet", "--message", "Add the notes");
    const command = commandOf();
    await record(command, firstDay);
    git("commit", "--quiet", "--allow-empty", "--message", "A later commit");
    await expectReplay(command, nextDay);
    // The prompt itself is compared.
    const other = command.map((part) => part.replace(agentPrompt, "Delete the notes."));
    const missed = await run(["--mode", "replay"], other);
    expect(missed.stderr).toContain(`text was "${agentPrompt}" and is now "Delete the notes."`);
  });
});

describe("an agent framework", () => {
  let installed: Installed;
  let bundle: string;
  let folder: string;

  beforeAll(async () => {
    installed = installPackages([...newestPackages, "@openai/agents@0"]);
    bundle = await bundleInto(installed, "tests/support/clients/recorded.ts");
  }, installTimeoutMs);
  afterAll(() => installed?.remove());
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it.each<[string, Protocol]>([
    ["@openai/agents", protocols.responses],
    ["ai with @ai-sdk/openai", protocols.responses],
    ["ai with @ai-sdk/openai, Chat Completions", protocols.chat],
    ["ai with @ai-sdk/anthropic", protocols.anthropic],
  ])(
    `%s is recorded once and replayed ${replayCount} times without a miss`,
    async (name, protocol) => {
      const command = ["--", node, bundle, name];
      const settings = { OPENAI_AGENTS_DISABLE_TRACING: "1" };
      server = await startAuthoredProvider(protocol, turnsOf(protocol.callIds));
      const addresses = { "api.anthropic.com": server.origin, "api.openai.com": server.origin };
      writeFileSync(join(folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
      const recorded = await tapedeck(folder, ["run", "--strict", ...command], settings);
      expect(recorded).toMatchObject({ code: 0, stderr: summaryOf("0 played, 3 recorded, 0 missed, 0 unused") });
      expect(recorded.stdout).toContain(lastText);
      await server.close();
      const tape = readFileSync(join(folder, "tapes/default/tape.json"), "utf8");
      for (let count = 0; count < replayCount; count += 1) {
        const replayed = await tapedeck(folder, ["run", "--mode", "replay", "--complete", ...command], settings);
        expect(replayed).toEqual({
          code: 0,
          stdout: recorded.stdout,
          stderr: summaryOf("3 played, 0 recorded, 0 missed, 0 unused"),
        });
      }
      expect(readFileSync(join(folder, "tapes/default/tape.json"), "utf8")).toBe(tape);
    },
    replayTimeoutMs,
  );
});
