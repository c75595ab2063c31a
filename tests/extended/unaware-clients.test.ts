import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { unawarePackages, unawarePythonPackages } from "#tests/support/clients/client-list";
import {
  hasPython,
  type Installed,
  installPackages,
  installPythonPackages,
  nodeOf,
} from "#tests/support/clients/install-packages";
import { EveryProvider } from "#tests/support/every-provider";
import { startCli } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

const text = "Lisbon is the capital.";
const hosts = [
  "api.openai.com",
  "tapedeck.openai.azure.com",
  "api.anthropic.com",
  "generativelanguage.googleapis.com",
  "api.groq.com",
  "api.mistral.ai",
  "api.cohere.com",
  "api.deepseek.com",
  "api.x.ai",
  "openrouter.ai",
  "bedrock-runtime.us-east-1.amazonaws.com",
  "127.0.0.1:11434",
];

let installed: Installed;
let provider: EveryProvider;
beforeAll(() => {
  installed = installPackages(unawarePackages);
}, 600_000);
afterAll(() => installed?.remove());

/** Runs clients, and returns what they print and the summary. */
async function runClients(command: readonly string[], tapes: string, mode: string) {
  const cli = startCli(["run", "--mode", mode, "--tapes", tapes, "--", ...command], {
    cwd: installed.folder,
    environment: { CI: undefined, DENO_NO_UPDATE_CHECK: "1", TURBO_TELEMETRY_DISABLED: "1" },
  });
  const code = await cli.ended;
  expect({ code, stderr: cli.stderr() }).toMatchObject({ code: 0 });
  return { printed: cli.stdout(), stderr: cli.stderr() };
}

/** Records clients, replays them with the providers stopped, and returns what they print. */
async function recordAndReplay(command: readonly string[]) {
  const tapes = temporaryFolder();
  provider = await new EveryProvider(text).start();
  const addresses = Object.fromEntries(hosts.map((host) => [host, provider.origin]));
  writeFileSync(join(installed.folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
  const recorded = await runClients(command, tapes, "auto");
  const count = provider.asked.length;
  expect(recorded.printed).toContain(text);
  expect(recorded.stderr).toContain(`${count} recorded, 0 missed`);
  await provider.close();
  const replayed = await runClients(command, tapes, "replay");
  expect(replayed.printed.split(text).length).toBe(recorded.printed.split(text).length);
  expect(replayed.stderr).toContain(`${count} played, 0 recorded, 0 missed`);
  return recorded;
}

/** Records and replays a program that prints the answers of many clients by name; returns their number. */
async function recordAndReplayAll(command: readonly string[]) {
  const { printed, stderr } = await recordAndReplay(command);
  const answers = JSON.parse(printed) as Record<string, string>;
  expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((name) => [name, text])));
  expect(stderr).not.toContain("passed to other hosts");
  return Object.keys(answers).length;
}

const scripts = resolve("tests/support/clients");

it("clients without a base URL are recorded and replayed with Node.js 20, which has no WebSocket", async () => {
  expect(await recordAndReplayAll([nodeOf("20"), join(scripts, "unaware.mjs"), "WebSocket"])).toBe(23);
});

it.each(["22", "24"])("clients without a base URL are recorded and replayed with Node.js %s", async (version) => {
  expect(await recordAndReplayAll([nodeOf(version), join(scripts, "unaware.mjs")])).toBe(24);
});

const binOf = (name: string) => join(installed.folder, "node_modules/.bin", name);

it("clients without a base URL are recorded and replayed with Bun", async () => {
  expect(await recordAndReplayAll([binOf("bun"), "run", join(scripts, "unaware.mjs")])).toBe(24);
});

it("clients without a base URL are recorded and replayed with Deno", async () => {
  // Deno has no module to load first, and its requests to this machine do without a proxy.
  expect(await recordAndReplayAll([binOf("deno"), "run", "-A", join(scripts, "unaware.mjs"), "ollama"])).toBe(23);
});

it.runIf(hasPython())("clients of Python without a base URL are recorded and replayed", async () => {
  const python = installPythonPackages(unawarePythonPackages);
  onTestFinished(python.remove);
  expect(await recordAndReplayAll([join(python.folder, "bin/python"), join(scripts, "unaware_clients.py")])).toBe(21);
});

it.each([
  { program: "go", args: ["run"], script: "ask.go" },
  { program: "java", args: [], script: "Ask.java" },
  { program: "php", args: [], script: "ask.php" },
  { program: "ruby", args: [], script: "ask.rb" },
])("programs of $program are recorded and replayed", async ({ program, args, script }) => {
  await recordAndReplay([program, ...args, join(scripts, script)]);
});

it("a task of Turborepo is recorded and replayed", async () => {
  const file = (name: string, content: unknown) => {
    const path = join(installed.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  };
  const { dependencies } = JSON.parse(readFileSync(join(installed.folder, "package.json"), "utf8"));
  file("package.json", { private: true, dependencies, packageManager: "npm@10.8.2", workspaces: ["packages/*"] });
  file("turbo.json", { tasks: { test: { cache: false } } });
  file("packages/one/package.json", { name: "one", type: "module", scripts: { test: "node ask.mjs" } });
  const body = { model: "gpt-test", messages: [{ role: "user", content: "What is the capital of Portugal?" }] };
  const request = JSON.stringify({ method: "POST", body: JSON.stringify(body) });
  file(
    "packages/one/ask.mjs",
    `console.log(await (await fetch("https://api.openai.com/v1/chat/completions", ${request})).text())`,
  );
  await recordAndReplay([binOf("turbo"), "run", "test", "--output-logs=full"]);
});
