import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { childEnvironment } from "#lib/platform/config";
import { packageRoot } from "#lib/platform/database/paths";

const readyTimeoutMs = 240_000;
const pollMs = 20;
const readyText = "Press Ctrl-C to stop.";

export type Ending = { exitCode: number | null; signal: NodeJS.Signals | null };

export type Launched = {
  process: ChildProcess;
  output(): string;
  /** Waits for the welcome message. Throws with the output if the launcher exits before it. */
  ready(): Promise<void>;
  ended: Promise<Ending>;
};

type LaunchOptions = {
  dataFolder: string;
  port: number;
  command?: readonly [string, ...string[]];
  folder?: string;
  environment?: Record<string, string>;
};

/** Runs this checkout's launcher and build, or another command in another folder, with the given data folder. */
export function launchTapedeck({
  dataFolder,
  port,
  command,
  folder = packageRoot,
  environment = {},
}: LaunchOptions): Launched {
  const [file, ...args] = command ?? [process.execPath, path.join(packageRoot, "lib/cli/bootstrap.mjs"), "up"];
  const child = spawn(file, args, {
    cwd: folder,
    env: childEnvironment({
      // Vite sets BASE_URL, and vitest sets NODE_ENV.
      BASE_URL: undefined,
      NODE_ENV: undefined,
      DATABASE_URL: undefined,
      TAPEDECK_DATA_DIR: dataFolder,
      PORT: String(port),
      ...environment,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const ended = once(child, "close").then(([exitCode, signal]): Ending => ({ exitCode, signal }));
  const output = () => text;
  const ready = async () => {
    await until(() => text.includes(readyText) || child.exitCode !== null || child.signalCode !== null, readyTimeoutMs);
    if (!text.includes(readyText)) throw new Error(`The launcher did not become ready:\n${text}`);
  };
  return { process: child, output, ready, ended };
}

/** Polls until the condition holds; throws after `timeoutMs`. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`The condition did not hold within ${timeoutMs} ms: ${condition}`);
    await delay(pollMs);
  }
}

/** Returns the servers and builds that are running for a data folder. */
export function childrenOf(dataFolder: string): { pid: number; token: string }[] {
  const folder = path.join(dataFolder, "children");
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(path.join(folder, name), "utf8")));
}

export async function answers(port: number): Promise<boolean> {
  const url = `http://127.0.0.1:${port}/api/v1/health`;
  return fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
