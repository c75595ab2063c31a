import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
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

/** Runs every client, and returns their answers and the summary. */
async function runClients(command: readonly string[], tapes: string, mode: string) {
  const cli = startCli(["run", "--mode", mode, "--tapes", tapes, "--", ...command], {
    cwd: installed.folder,
    environment: { CI: undefined },
  });
  const code = await cli.ended;
  expect({ code, stderr: cli.stderr() }).toMatchObject({ code: 0 });
  return { answers: JSON.parse(cli.stdout()) as Record<string, string>, stderr: cli.stderr() };
}

/** Records every client, and replays them with the providers stopped. */
async function recordAndReplay(command: readonly string[]) {
  const tapes = temporaryFolder();
  provider = await new EveryProvider(text).start();
  const addresses = Object.fromEntries(hosts.map((host) => [host, provider.origin]));
  writeFileSync(join(installed.folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
  const recorded = await runClients(command, tapes, "auto");
  expect(recorded.answers).toEqual(Object.fromEntries(Object.keys(recorded.answers).map((name) => [name, text])));
  const count = provider.asked.length;
  expect(recorded.stderr).toContain(`${count} recorded, 0 missed`);
  expect(recorded.stderr).not.toContain("passed to other hosts");
  await provider.close();
  const replayed = await runClients(command, tapes, "replay");
  expect(replayed.answers).toEqual(recorded.answers);
  expect(replayed.stderr).toContain(`${count} played, 0 recorded, 0 missed`);
  return Object.keys(recorded.answers).length;
}

const scripts = resolve("tests/support/clients");

it.each(["20", "22", "24"])("clients without a base URL are recorded and replayed with Node.js %s", async (version) => {
  expect(await recordAndReplay([nodeOf(version), join(scripts, "unaware.mjs")])).toBe(23);
});

it.runIf(hasPython())("clients of Python without a base URL are recorded and replayed", async () => {
  const python = installPythonPackages(unawarePythonPackages);
  onTestFinished(python.remove);
  expect(await recordAndReplay([join(python.folder, "bin/python"), join(scripts, "unaware_clients.py")])).toBe(14);
});
