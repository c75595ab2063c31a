import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { childEnvironment } from "#lib/platform/config";

const projectFolder = resolve(import.meta.dirname, "../..");

export type CliRun = {
  process: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Exit code, or the signal's name. */
  ended: Promise<number | string>;
};

type Options = { environment?: Record<string, string | undefined>; cwd?: string };

/** Starts the real `tapedeck` command. */
export function startCli(words: readonly string[], { environment = {}, cwd = projectFolder }: Options = {}): CliRun {
  const child = spawn(process.execPath, [resolve(projectFolder, "lib/cli/tapedeck.mjs"), ...words], {
    cwd,
    env: childEnvironment({ NODE_ENV: "production", BASE_URL: undefined, NODE_OPTIONS: undefined, ...environment }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  return { process: child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended };
}

/** Runs the real `tapedeck` command to its end. */
export async function runCli(words: readonly string[], options: Options = {}) {
  const run = startCli(words, options);
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}
