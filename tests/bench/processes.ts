import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Time between SIGTERM and SIGKILL. */
const stopGraceMs = 3_000;
/** Maximum time until a server answers. */
const startPatienceMs = 60_000;
/** Maximum time for one attempt: a starting server may accept a request and never answer it. */
const answerTimeoutMs = 2_000;
/** Characters of a process's output that are stored to explain a failure. */
const keptOutputCharacterCount = 4_000;
/** Linux counts CPU time in ticks, 100 a second on every architecture that Node supports. */
const tickMs = 10;

export type StartedProcess = { child: ChildProcess; pid: number; name: string; output: () => string };

const started = new Set<StartedProcess>();

/** Starts `node` with these arguments and an IPC channel. Node raises its limit of open files to the hard limit by itself. */
export function startNode(name: string, nodeArguments: string[], environment = {}): StartedProcess {
  const child = spawn(process.execPath, nodeArguments, {
    cwd: root,
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
  const entry = { child, pid: child.pid as number, name, output: () => output };
  started.add(entry);
  child.once("exit", () => started.delete(entry));
  return entry;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}

/** Ends a process and its descendants. */
export async function stopProcess({ child, pid }: StartedProcess): Promise<void> {
  if (hasEnded(child)) return;
  const pids = listProcessTree(pid);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await Promise.race([ended, sleep(stopGraceMs, undefined, { ref: false })]);
  if (!hasEnded(child)) child.kill("SIGKILL");
  for (const descendant of pids.slice(1)) killQuietly(descendant);
}

/** Ends everything that `startNode` started. */
export async function stopAll(): Promise<void> {
  await Promise.all([...started].map(stopProcess));
}

/** Kills everything that `startNode` started without waiting. For use when this process exits. */
export function killAllNow(): void {
  for (const { pid } of started) killQuietly(pid);
}

/** Waits until the server answers on its port. Throws with the end of its output if it exits or takes too long. */
export async function waitForAnswer(server: StartedProcess, port: number, path: string): Promise<void> {
  const givenUpAtMs = performance.now() + startPatienceMs;
  const answers = () =>
    fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(answerTimeoutMs) }).then(
      async ({ status, body }) => {
        await body?.cancel();
        return status < 500;
      },
      () => false,
    );
  while (!(await answers())) {
    if (hasEnded(server.child) || performance.now() > givenUpAtMs) {
      throw new Error(`${server.name} does not answer on its port; it wrote:\n${server.output()}`);
    }
    await sleep(100);
  }
}

/** What a role does once it is ready: it answers messages. */
export type Role<Ready, Message, Answer> = { ready: Ready; answer: (message: Message) => Answer | Promise<Answer> };
type AnyRole = (...parameters: never[]) => Role<unknown, never, unknown> | Promise<Role<unknown, never, unknown>>;
type RoleOf<Of extends AnyRole> = Awaited<ReturnType<Of>>;

export type StartedRole<Of extends AnyRole> = {
  process: StartedProcess;
  ready: RoleOf<Of>["ready"];
  ask: (message: Parameters<RoleOf<Of>["answer"]>[0]) => Promise<Awaited<ReturnType<RoleOf<Of>["answer"]>>>;
};

/** Runs a function that a file exports in a process of its own, so that its work is not attributed to what is measured. */
export async function startRole<Of extends AnyRole>(
  file: string,
  role: Of,
  parameters: Parameters<Of>,
  { nodeArguments = [], environment = {} }: { nodeArguments?: string[]; environment?: Record<string, string> } = {},
): Promise<StartedRole<Of>> {
  const script = fileURLToPath(new URL("role-process.ts", import.meta.url));
  const command = [...nodeArguments, "--import", "tsx", script, file, role.name, JSON.stringify(parameters)];
  const started = startNode(role.name, command, environment);
  const { child } = started;
  const next = async () => {
    const stop = new AbortController();
    const ended = once(child, "exit", { signal: stop.signal }).then(() => {
      throw new Error(`The process of ${role.name} ended; it wrote:\n${started.output()}`);
    });
    const message = once(child, "message", { signal: stop.signal });
    try {
      return (await Promise.race([message, ended]))[0];
    } finally {
      for (const each of [message, ended]) each.catch(() => undefined);
      stop.abort();
    }
  };
  const ready = await next();
  const ask = (message: unknown) => {
    const answer = next();
    child.send((message ?? null) as object);
    return answer;
  };
  return { process: started, ready, ask } as StartedRole<Of>;
}

type ProcessStat = { parentPid: number; ownMs: number; exitedChildrenMs: number };

/** Reads /proc/<pid>/stat after the command's name, which can contain spaces and brackets. */
function readStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ms = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * tickMs;
    return { parentPid: Number(fields[1]), ownMs: ms(11), exitedChildrenMs: ms(13) };
  } catch {
    return undefined; // It has exited since it was listed, or this is not Linux.
  }
}

/** Returns the ids of a process and all its current descendants; empty if it has exited or this is not Linux. */
export function listProcessTree(rootPid: number): number[] {
  if (process.platform !== "linux" || readStat(rootPid) === undefined) return [];
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  const parents = pids.map((pid) => [pid, readStat(pid)?.parentPid] as const);
  const tree = [rootPid];
  for (const known of tree) for (const [pid, parentPid] of parents) if (parentPid === known) tree.push(pid);
  return tree;
}

/** Returns user and system time of these processes with all their threads, in milliseconds; NaN if unknown. */
export function cpuTimeMs(pids: readonly number[], { withExitedChildren = false } = {}): number {
  if (pids.length === 0) return Number.NaN;
  const timeOf = ({ ownMs, exitedChildrenMs }: ProcessStat) => ownMs + (withExitedChildren ? exitedChildrenMs : 0);
  return pids.flatMap((pid) => readStat(pid) ?? []).reduce((sum, stat) => sum + timeOf(stat), 0);
}

/** Returns the total resident memory of these processes, in MiB; NaN if unknown. */
export function residentMebibytes(pids: readonly number[]): number {
  const kibibytes = pids.map((pid) => {
    try {
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    } catch {
      return 0; // It has exited since it was listed.
    }
  });
  return pids.length === 0 ? Number.NaN : kibibytes.reduce((sum, each) => sum + each, 0) / 1_024;
}
