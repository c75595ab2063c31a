import { spawn } from "node:child_process";
import { childEnvironment } from "#lib/platform/config";
import type { PostgresAccount } from "./postgres-account";

const outputLimitBytes = 64 * 1024;
/** Maximum wait for remaining output after the exit. On Windows the server inherits the pipe and keeps it open. */
const outputGraceMs = 200;

type ProgramResult = { exitCode: number | null; output: string };

/** Removes variables that would point PostgreSQL's programs at another server. */
const withoutPostgresVariables = Object.fromEntries(
  Object.keys(childEnvironment())
    .filter((name) => /^PG[A-Z]+$/.test(name))
    .map((name) => [name, undefined]),
);

/** Runs one of PostgreSQL's programs, for at most `timeoutMs` milliseconds. Rejects only if it cannot be started. */
export function runProgram(
  account: PostgresAccount,
  [program, ...rest]: readonly [string, ...string[]],
  { timeoutMs, folder }: { timeoutMs: number; folder: string },
): Promise<ProgramResult> {
  const [file = program, ...options] = [...account.prefix, program, ...rest];
  return new Promise((resolve, reject) => {
    const child = spawn(file, options, {
      cwd: folder,
      env: childEnvironment({ ...withoutPostgresVariables, LC_ALL: "C", LANG: "C" }),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      windowsHide: true,
      ...(account.prefix.length === 0 && { uid: account.uid, gid: account.gid }),
    });
    let output = "";
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-outputLimitBytes);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", (cause) =>
      reject(new Error(`${program} cannot be started (${cause.message}). Set DATABASE_URL instead.`, { cause })),
    );
    child.once("exit", (exitCode) => {
      const finish = () => {
        clearTimeout(grace);
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ exitCode, output: output.trim() });
      };
      const grace = setTimeout(finish, outputGraceMs);
      child.once("close", finish);
    });
  });
}
