import { type ChildProcess, spawn } from "node:child_process";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listProcessTree } from "./process-stats";

/** Time between SIGTERM and SIGKILL. */
const stopGraceMs = 3_000;
/** Maximum time until a server answers. */
const startPatienceMs = 60_000;
/** Maximum time for one attempt: a starting server may accept a request and never answer it. */
const answerTimeoutMs = 2_000;
/** Characters of a process's output that are stored to explain a failure. */
const keptOutputCharacterCount = 4_000;
/** File descriptors for the clients of one run and a reserve, if the hard limit allows it. */
const wantedDescriptorCount = 8_192;

export type StartedProcess = { child: ChildProcess; name: string; output: () => string };

const started = new Set<StartedProcess>();

/**
 * Starts `node` with these arguments and an IPC channel, with the soft limit of open files raised as far as needed and
 * allowed. `exec` replaces the shell, so that the child's pid is that of the program.
 */
export function startNode(name: string, nodeArguments: string[], environment: Record<string, string>): StartedProcess {
  const raiseLimit = `[ "$(ulimit -n)" = unlimited ] || [ "$(ulimit -n)" -ge ${wantedDescriptorCount} ] \
    || ulimit -n ${wantedDescriptorCount} 2>/dev/null || ulimit -n "$(ulimit -Hn)"`;
  const child = spawn("sh", ["-c", `${raiseLimit}; exec "$@"`, "sh", process.execPath, ...nodeArguments], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    serialization: "advanced",
    env: { ...process.env, ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-keptOutputCharacterCount);
    });
  }
  const entry: StartedProcess = { child, name, output: () => output };
  started.add(entry);
  child.once("exit", () => started.delete(entry));
  return entry;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Ends a process and its descendants. */
export async function stopProcess({ child }: StartedProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const pids = listProcessTree(child.pid);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  await Promise.race([ended, sleep(stopGraceMs)]);
  if (!hasEnded(child)) child.kill("SIGKILL");
  // Ends descendants that outlived it.
  for (const pid of pids.slice(1)) endQuietly(pid);
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}

/** Ends everything that `startNode` started. */
export async function stopAll(): Promise<void> {
  await Promise.all([...started].map(stopProcess));
}

/** Kills everything that `startNode` started without waiting. For use when this process exits. */
export function killAllNow(): void {
  for (const { child } of started) child.kill("SIGKILL");
}

function answers(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", port, path, agent: false, timeout: answerTimeoutMs }, (response) => {
      resolve((response.statusCode ?? 500) < 500);
      response.destroy();
    });
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => resolve(false));
    asked.end();
  });
}

/** Waits until the server answers on its port. Throws with the end of its output if it exits or takes too long. */
export async function waitForAnswer(server: StartedProcess, port: number, path: string): Promise<void> {
  const givenUpAtMs = performance.now() + startPatienceMs;
  while (!(await answers(port, path))) {
    if (hasEnded(server.child) || performance.now() > givenUpAtMs) {
      throw new Error(`${server.name} does not answer on its port; it wrote:\n${server.output()}`);
    }
    await sleep(100);
  }
}
