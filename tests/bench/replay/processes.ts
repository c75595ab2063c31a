import { type ChildProcess, spawn } from "node:child_process";
import { request } from "node:http";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { listProcessTree } from "./process-stats";

/** How long a process may take to end after SIGTERM before it is killed. */
const stopGraceMs = 3_000;
/** How long a server may take until it answers. */
const startPatienceMs = 60_000;
/** How long one attempt to get an answer may take: a server that is still starting may take a request and forget it. */
const answerTimeoutMs = 2_000;
/** Characters of a process's output that are kept to explain a failure. */
const keptOutputCharacterCount = 4_000;
/** Descriptors for the clients of one run and some more, where the hard limit allows it. */
const wantedDescriptorCount = 8_192;

export type StartedProcess = { child: ChildProcess; name: string; output: () => string };

const started = new Set<StartedProcess>();

/**
 * Starts `node` with these arguments and an IPC channel, with the soft limit of open files raised as far as needed
 * and allowed. `exec` replaces the shell, so that the child's pid is the program's own.
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

/** Ends a process and whatever it started itself. */
export async function stopProcess({ child }: StartedProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const pids = listProcessTree(child.pid);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  await Promise.race([ended, sleep(stopGraceMs)]);
  if (!hasEnded(child)) child.kill("SIGKILL");
  // Descendants that outlived it; ones that have ended are no longer in the list of their parent's tree.
  for (const pid of pids.slice(1)) endQuietly(pid);
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

/** Ends everything that `startNode` started. */
export async function stopAll(): Promise<void> {
  await Promise.all([...started].map(stopProcess));
}

/** Kills everything that `startNode` started, without waiting: for the moment in which this process itself exits. */
export function killAllNow(): void {
  for (const { child } of started) child.kill("SIGKILL");
}

/** A port on which nothing listened a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
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

/** Waits until the server answers on its port. Throws with the end of its output if it ends or takes too long. */
export async function waitForAnswer(server: StartedProcess, port: number, path: string): Promise<void> {
  const givenUpAtMs = performance.now() + startPatienceMs;
  while (!(await answers(port, path))) {
    if (hasEnded(server.child) || performance.now() > givenUpAtMs) {
      throw new Error(`${server.name} does not answer on its port; it wrote:\n${server.output()}`);
    }
    await sleep(100);
  }
}
