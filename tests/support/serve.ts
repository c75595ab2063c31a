import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { builtEnvironment } from "#lib/cli/launcher/build";
import { childEnvironment } from "#lib/platform/config";
import { findFreePort } from "#lib/platform/database/postgres-connection";

const projectFolder = resolve(import.meta.dirname, "../..");
const startTimeoutMs = 120_000;

/** How replay and MCP run: on a Node server in front of Next, or as route handlers. */
export type Adapter = "node" | "route";

export type Served = {
  origin: string;
  pid: number;
  process: ChildProcess;
  output: () => string;
  stop(): Promise<void>;
};

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const port = await findFreePort();
  if (port === undefined) throw new Error("No free TCP port was found on 127.0.0.1.");
  return port;
}

function commandOf(adapter: Adapter, port: number, environment: Record<string, string>): string[] {
  const { WORKERS: workerCount = childEnvironment().WORKERS || "1", STOP_GRACE_S: graceS = "2" } = environment;
  const program = workerCount === "1" ? ["server.mjs"] : ["cluster.mjs", workerCount];
  return adapter === "node"
    ? [
        ...[`lib/server/http/${program[0]}`, ...program.slice(1)],
        ...["--port", String(port), "--host", "127.0.0.1", "--stop-grace", graceS],
      ]
    : [
        "node_modules/next/dist/bin/next",
        "start",
        "--port",
        String(port),
        "--hostname",
        "127.0.0.1",
        "--keepAliveTimeout",
        "65000",
      ];
}

async function answers(origin: string): Promise<boolean> {
  return fetch(`${origin}/api/v1/health`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function untilReady(child: ChildProcess, origin: string, output: () => string): Promise<void> {
  const deadlineMs = performance.now() + startTimeoutMs;
  while (performance.now() < deadlineMs) {
    if (child.exitCode !== null) throw new Error(`The server exited with ${child.exitCode}:\n${output()}`);
    if (await answers(origin)) return;
    await new Promise((settle) => setTimeout(settle, 50));
  }
  throw new Error(`The server was not ready after ${startTimeoutMs} ms:\n${output()}`);
}

/** Variables that vitest sets in its workers. The app would use `BASE_URL`. */
const vitestVariables = ["BASE_URL", "MODE", "DEV", "PROD", "SSR", "VITEST", "TEST"];

function cleanEnvironment(added: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = childEnvironment({});
  for (const name of vitestVariables) delete inherited[name];
  return { ...inherited, ...added };
}

/** Starts the built app with a clean production environment and the given variables, on this or another Node.js. */
export async function serve(
  adapter: Adapter,
  environment: Record<string, string> = {},
  node = process.execPath,
): Promise<Served> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  let text = "";
  const output = () => text;
  const child = spawn(node, commandOf(adapter, port, environment), {
    cwd: projectFolder,
    env: cleanEnvironment({
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      PORT: String(port),
      ...builtEnvironment(),
      ...environment,
    }),
    // The Node server stops when its channel closes, also if this process is killed.
    stdio: ["ignore", "pipe", "pipe", ...(adapter === "node" ? (["ipc"] as const) : [])],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      text += chunk;
    });
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  try {
    await untilReady(child, origin, output);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return { origin, pid: child.pid as number, process: child, output, stop };
}
