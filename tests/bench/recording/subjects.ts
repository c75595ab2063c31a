import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "../../support/serve";
import { upstreamNames } from "../../support/tape-conversations";
import { type StartedProcess, startNode, stopProcess, waitForAnswer } from "../replay/processes";

const installTimeoutMs = 300_000;
const cli = resolve(import.meta.dirname, "../../../lib/cli/tapedeck.mjs");

/** A server that records from an upstream and replays. `speed`: only how it plays is different. */
export type Subject = {
  name: string;
  version: string;
  start: (input: { mode: "record" | "replay"; folder: string; upstream: string; isFast?: boolean }) => Promise<Running>;
};
export type Running = { baseUrlOf: (provider: string) => string; server: StartedProcess; stop: () => Promise<void> };

export const tapedeck: Subject = {
  name: "tapedeck",
  version: "this repository",
  start: async ({ mode, folder, upstream }) => {
    const port = await freePort();
    const flags = ["--mode", mode === "record" ? "auto" : "replay", "--tapes", folder, "--port", String(port)];
    const variables = Object.values(upstreamNames).map(([, variable]) => variable);
    const environment = Object.fromEntries(variables.map((name) => [name, upstream]));
    const server = startNode("tapedeck", [cli, "proxy", ...flags], environment);
    await waitForAnswer(server, port, "/");
    const baseUrlOf = (provider: string) => `http://127.0.0.1:${port}/${upstreamNames[provider]?.[0]}`;
    return { baseUrlOf, server, stop: () => stopProcess(server) };
  },
};

/** Installs the newest version in a temporary folder. Throws if that fails. */
export async function installAimock(): Promise<Subject & { remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-aimock-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const { status, stderr } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "@copilotkit/aimock@latest"], {
    cwd: folder,
    encoding: "utf8",
    timeout: installTimeoutMs,
  });
  if (status !== 0) throw new Error(`npm could not install @copilotkit/aimock: ${stderr}`);
  const path = join(folder, "node_modules/@copilotkit/aimock");
  const { default: manifest } = await import(join(path, "package.json"), { with: { type: "json" } });
  return {
    name: "aimock",
    version: manifest.version,
    start: async ({ mode, folder: fixtures, upstream, isFast = false }) => {
      const port = await freePort();
      const providers = ["openai", "anthropic", "gemini", "ollama"].flatMap((name) => [`--provider-${name}`, upstream]);
      const isEmpty = (await readdir(fixtures)).length === 0;
      // It does not start in strict mode without a fixture.
      const flags =
        mode === "record" ? ["--record", ...providers] : ["--strict", ...(isFast ? ["--replay-speed", "1000"] : [])];
      if (mode === "replay" && isEmpty) throw new Error("aimock recorded nothing.");
      const server = startNode(
        "aimock",
        [
          join(path, "dist/cli.js"),
          "-p",
          String(port),
          "-f",
          fixtures,
          "--log-level",
          "warn",
          "--journal-max",
          "10",
          ...flags,
        ],
        {},
      );
      await waitForAnswer(server, port, "/health");
      return { baseUrlOf: () => `http://127.0.0.1:${port}`, server, stop: () => stopProcess(server) };
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
