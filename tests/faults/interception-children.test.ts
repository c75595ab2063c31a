import { chmod, readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { LoopbackServer, readBody, sendJson } from "#tests/support/loopback-server";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

class Everything extends LoopbackServer {
  protected async handle(request: IncomingMessage, response: ServerResponse) {
    await readBody(request);
    sendJson(response, 200, { host: request.headers.host });
  }
}

/** Asks a model, and appends its status to a file. */
const ask = `
const { appendFileSync } = require("node:fs");
const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: process.argv[2] }] });
fetch("https://api.openai.com/v1/chat/completions", { method: "POST", body }).then(
  ({ status }) => appendFileSync("asked.txt", process.argv[2] + " " + status + "\\n"),
  ({ message }) => appendFileSync("asked.txt", process.argv[2] + " " + message + "\\n"),
);
`;

/** Starts it in each way with an environment that has nothing of the run. */
const program = `
const { once } = require("node:events");
const { execFileSync, execSync, fork, spawn, spawnSync } = require("node:child_process");
const { Worker } = require("node:worker_threads");
const env = { PATH: process.env.PATH };
const stdio = "inherit";
(async () => {
  await once(spawn(process.execPath, ["ask.cjs", "spawn"], { env, stdio }), "close");
  await once(fork("ask.cjs", ["fork"], { env: { ...env, NODE_OPTIONS: "" } }), "close");
  await once(new Worker("./ask.cjs", { argv: ["worker"], env: { OTHER: "1" } }), "exit");
  spawnSync(process.execPath, ["ask.cjs", "spawnSync"], { env, stdio });
  execFileSync(process.execPath, ["ask.cjs", "execFileSync"], { env, stdio });
  execSync(JSON.stringify(process.execPath) + " ask.cjs execSync", { env, stdio });
  execSync("NODE_OPTIONS=--max-old-space-size=300 node ask.cjs shell", { stdio });
  execSync('env -i PATH="$PATH" node ask.cjs env', { stdio });
})();
`;

const folder = temporaryFolder();
const environment = { CI: undefined, NODE_OPTIONS: undefined };
const tapedeck = (...args: string[]) => runCommand(["run", ...args], { cwd: folder, environment });

beforeAll(async () => {
  await writeFile(join(folder, "ask.cjs"), ask);
  await writeFile(join(folder, "all.cjs"), program);
  await writeFile(join(folder, "workerd"), "#!/bin/sh\n");
  await chmod(join(folder, "workerd"), 0o755);
});

it("processes and threads that get an environment without the run's variables are intercepted", async () => {
  const server = await new Everything().start();
  const config = { addresses: { "api.openai.com": server.origin } };
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify(config));
  const recorded = await tapedeck("--", process.execPath, "all.cjs");
  const names = ["spawn", "fork", "worker", "spawnSync", "execFileSync", "execSync", "shell", "env"];
  const lines = names.map((name) => `${name} 200\n`).join("");
  expect(await readFile(join(folder, "asked.txt"), "utf8")).toBe(lines);
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("8 recorded, 0 missed") });
  await server.close();
  const replayed = await tapedeck("--mode", "replay", "--strict", "--", process.execPath, "all.cjs");
  expect(replayed).toMatchObject({ code: 0, stderr: expect.stringContaining("8 played, 0 recorded, 0 missed") });
  expect(await readFile(join(folder, "asked.txt"), "utf8")).toBe(lines + lines);
});

it("a process that turns the recorder off for a child keeps it so", async () => {
  const off = `require("child_process").execFileSync("node", ["-p", "process.env.HTTPS_PROXY"], { env: { ...process.env, TAPEDECK_PROXY: "", HTTPS_PROXY: "own" } })`;
  const check = `process.exit(String(${off}) === "own\\n" ? 0 : 3)`;
  expect(await tapedeck("--", process.execPath, "-e", check)).toMatchObject({ code: 0 });
});

it("an environment has what its prototype has, as without the recorder", async () => {
  const env = `Object.assign(Object.create({ ...process.env, OF_PROTOTYPE: "1" }), { OWN: "2" })`;
  const read = `require("child_process").execFileSync("node", ["-p", "process.env.OF_PROTOTYPE + process.env.OWN"], { env: ${env} })`;
  const check = `process.exit(String(${read}) === "12\\n" ? 0 : 3)`;
  expect(await tapedeck("--", process.execPath, "-e", check)).toMatchObject({ code: 0 });
});

it("the values of variables that a command sets are not shown", async () => {
  const started = [
    ["TOKEN=not to be shown", "true"],
    ["A-KEY=not-to-be-shown", "true"],
  ];
  const starts = `for (const args of ${JSON.stringify(started)}) require("child_process").spawnSync("env", ["-i", ...args])`;
  const { stderr } = await tapedeck("--tapes", "none", "--", process.execPath, "-e", starts);
  expect(stderr).toContain("  started without the variables of the run: env -i true\n");
  expect(stderr).not.toMatch(/not.to|be.shown/);
});

it("a command that clears the variables of the run is named, and fails a strict run", async () => {
  const clears = `require("node:child_process").execSync("env -i TOKEN='not to be shown' true")`;
  const run = (...args: string[]) => tapedeck("--tapes", "none", ...args, "--", process.execPath, "-e", clears);
  const line = "  started without the variables of the run: env -i true\n";
  expect(await run()).toMatchObject({ code: 0, stderr: expect.stringContaining(line) });
  const reason = "Commands that start others without the variables of the run: 1. Use env -u in place of env -i.";
  expect(await run("--strict")).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
  expect(await run("--strict", "--mode", "live")).toMatchObject({ stderr: expect.not.stringContaining(line) });
});

it("a run that starts workerd says how its requests are recorded", async () => {
  const starts = `require("node:child_process").spawnSync("./workerd", ["serve"])`;
  const run = (...args: string[]) => tapedeck("--tapes", "none", ...args, "--", process.execPath, "-e", starts);
  expect((await run()).stderr).toContain(
    "  workerd was started, whose requests are not intercepted: run with --port 4141, and set OPENAI_BASE_URL=",
  );
});
