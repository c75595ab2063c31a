import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "#tests/support/serve";
import { upstreamNames } from "#tests/support/tape-conversations";
import { root, startNode, stopProcess, waitForAnswer } from "../processes";

export type Running = { baseUrlOf: (provider: string) => string; pid: number; stop: () => Promise<void> };
type Start = { mode: "record" | "replay"; folder: string; upstream: string; isFast?: boolean };
/** A server that records from an upstream and replays. */
export type Subject = { name: string; start: (input: Start) => Promise<Running> };

async function startServer(name: string, args: string[], port: number, readyPath: string, environment = {}) {
  const server = startNode(name, args, environment);
  await waitForAnswer(server, port, readyPath);
  return { pid: server.pid, stop: () => stopProcess(server) };
}

export const tapedeck: Subject = {
  name: "tapedeck",
  start: async ({ mode, folder, upstream }) => {
    const port = await freePort();
    const flags = ["--mode", mode === "record" ? "auto" : "replay", "--tapes", folder, "--port", String(port)];
    const variables = Object.values(upstreamNames).map(([, variable]) => variable);
    const environment = Object.fromEntries(variables.map((name) => [name, upstream]));
    const started = await startServer("tapedeck", ["lib/cli/tapedeck.mjs", "proxy", ...flags], port, "/", environment);
    return { ...started, baseUrlOf: (provider) => `http://127.0.0.1:${port}/${upstreamNames[provider]?.[0]}` };
  },
};

const aimockFolder = join(root, "node_modules/@copilotkit/aimock");

export const aimock: Subject = {
  name: `aimock ${JSON.parse(readFileSync(join(aimockFolder, "package.json"), "utf8")).version}`,
  start: async ({ mode, folder, upstream, isFast = false }) => {
    const port = await freePort();
    const providers = ["openai", "anthropic", "gemini", "ollama"].flatMap((name) => [`--provider-${name}`, upstream]);
    // It does not start in strict mode without a fixture.
    if (mode === "replay" && (await readdir(folder)).length === 0) throw new Error("aimock recorded nothing.");
    const replay = ["--strict", ...(isFast ? ["--replay-speed", "1000"] : [])];
    const flags = ["-p", String(port), "-f", folder, "--log-level", "warn", "--journal-max", "10"];
    const args = [
      join(aimockFolder, "dist/cli.js"),
      ...flags,
      ...(mode === "record" ? ["--record", ...providers] : replay),
    ];
    return { ...(await startServer("aimock", args, port, "/health")), baseUrlOf: () => `http://127.0.0.1:${port}` };
  },
};
