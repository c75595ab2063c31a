import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { Writable } from "node:stream";
import { run } from "#lib/cli/run";
import { childEnvironment } from "#lib/platform/config";

const projectFolder = resolve(import.meta.dirname, "../..");

export type CliRun = {
  process: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Resolves to the exit code, or to the signal's name. */
  ended: Promise<number | string>;
};

type Environment = Record<string, string | undefined>;
type Options = { environment?: Environment; cwd?: string };

function environmentOf(changes: Environment): NodeJS.ProcessEnv {
  return childEnvironment({ NODE_ENV: "production", BASE_URL: undefined, NODE_OPTIONS: undefined, ...changes });
}

/**
 * Runs the command in this process; `environment` overrides this process's variables. `cwd` is this process's folder until
 * the command has ended, so no other test may run at the same time.
 */
export async function runCommand(args: readonly string[], { environment = {}, cwd }: Options = {}) {
  const texts = { stdout: "", stderr: "" };
  const collect = (name: keyof typeof texts) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk);
        done();
      },
    });
  const io = { stdout: collect("stdout"), stderr: collect("stderr") };
  const before = process.cwd();
  if (cwd) process.chdir(cwd);
  try {
    const code = await run(args, { ...io, environment: environmentOf(environment) });
    return { code, ...texts };
  } finally {
    if (cwd) process.chdir(before);
  }
}

/** Starts the real `tapedeck` command as a separate process, whose messages name it just `tapedeck`. */
export function startCli(args: readonly string[], { environment = {}, cwd = projectFolder }: Options = {}): CliRun {
  const child = spawn(process.execPath, [resolve(projectFolder, "lib/cli/tapedeck.mjs"), ...args], {
    cwd,
    env: environmentOf({ TAPEDECK_COMMAND: "tapedeck", ...environment }),
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

/** Runs the real `tapedeck` command as a separate process and waits for its end. */
export async function runCli(args: readonly string[], options: Options = {}) {
  const run = startCli(args, options);
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}
