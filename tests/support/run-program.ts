import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

type Options = { cwd?: string; env: NodeJS.ProcessEnv };

/** Runs a program, which reads nothing, to its end. */
export async function runProgram(file: string, args: readonly string[], options: Options) {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: code as number | null, stdout, stderr };
}

/** Runs a program, and returns the JSON that it prints. Throws what it writes to standard error if it fails. */
export async function readProgram<T>(file: string, args: readonly string[], options: Options): Promise<T> {
  const { code, stdout, stderr } = await runProgram(file, args, options);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
