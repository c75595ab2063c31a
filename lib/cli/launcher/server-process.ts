import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { fetchingOf } from "#lib/jobs/index";
import { commandLine, commandName } from "#lib/platform/command-line";
import { childEnvironment, config } from "#lib/platform/config";
import { dataFolder, packageRoot } from "#lib/platform/database/paths";
import { encryptionKeys } from "#lib/platform/encryption";
import { secondMs } from "#lib/platform/time";
import { signalChild, startChild, stopRequest } from "../bootstrap/processes.mjs";
import { commandFile, isClone } from "../installation";
import { builtEnvironment } from "./build";

const readyTimeoutMs = 120_000;
/** Time between SIGTERM and SIGKILL; for the server in addition to its grace period. */
const stopTimeoutMs = 10_000;

type ServerOptions = {
  host: string;
  port: number;
  isDevelopment: boolean;
  /** Undefined while the database does not start. */
  databaseUrl: string | undefined;
  buildDate: string;
  signal: AbortSignal;
};

/** A process that the launcher keeps running. */
export type KeptProcess = {
  /** Settles with the reason when it has exited. */
  ended: Promise<string>;
  /** Ends it at once after `endAfterMs`, or a second signal to this process; else it has its own grace period. */
  stop(endAfterMs?: number): Promise<void>;
};

type Child = ReturnType<typeof startChild>;

/** Returns the end of a child, and a function that stops it. */
function keep(child: Child, graceMs = 0): KeptProcess {
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (exitCode, exitSignal) => resolve(exitSignal ?? `exit code ${exitCode}`));
  });
  const stop = async (endAfterMs?: number) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const pid = child.pid;
    signalChild(pid, "SIGTERM");
    const { urgent } = stopRequest();
    const end = () => signalChild(pid, "SIGQUIT");
    if (urgent.aborted) end();
    urgent.addEventListener("abort", end);
    const late = endAfterMs === undefined ? undefined : setTimeout(end, endAfterMs);
    const force = setTimeout(() => signalChild(pid, "SIGKILL"), (endAfterMs ?? graceMs) + stopTimeoutMs);
    await ended;
    clearTimeout(late);
    clearTimeout(force);
    urgent.removeEventListener("abort", end);
  };
  return { ended, stop };
}

/** After how long without a sign of life the launcher ends the server, in milliseconds, and in how many checks. */
export const maxSilenceMs = 20 * secondMs;
const silentCheckCount = 20;

type Watch = { lastRequest: () => string; print: (line: string) => void; silenceMs?: number };

/**
 * Ends the server if its event loop does not run, and says which request came last. Counts its own checks in place of
 * time, because both processes stop while a computer sleeps.
 */
export function watchEventLoop(child: Child, { lastRequest, print, silenceMs = maxSilenceMs }: Watch): void {
  let silentChecks = 0;
  child.on("message", () => {
    silentChecks = 0;
  });
  const timer = setInterval(() => {
    silentChecks += 1;
    if (silentChecks < silentCheckCount || child.pid === undefined) return;
    clearInterval(timer);
    const since = `The server's event loop has not run for ${silenceMs / secondMs} s`;
    print(`${since}, so it is restarted. Its last request: ${lastRequest() || "none"}\n`);
    signalChild(child.pid, "SIGKILL");
  }, silenceMs / silentCheckCount);
  child.once("exit", () => clearInterval(timer));
}

/** Opens a file for the last request of the server; without one, `descriptor` is "ignore". */
function openLastRequest(): { descriptor: number | "ignore"; read: () => string } {
  try {
    const file = path.join(dataFolder(), "last-request");
    const descriptor = openSync(file, "w+", 0o600);
    return { descriptor, read: () => readFileSync(file, "utf8").replaceAll("\0", " ").trim() };
  } catch {
    return { descriptor: "ignore", read: () => "" };
  }
}

/** Returns why a child did not report that it is ready; undefined if it did. */
function untilReady(child: Child, { ended }: KeptProcess, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve("stopped");
    const timer = setTimeout(() => resolve(`not ready after ${readyTimeoutMs / 1_000} s`), readyTimeoutMs);
    const settle = (reason: string | undefined) => {
      clearTimeout(timer);
      resolve(reason);
    };
    child.on("message", (message: { ready?: boolean }) => message.ready && settle(undefined));
    ended.then(settle);
    signal.addEventListener("abort", () => settle("stopped"), { once: true });
  });
}

/** How the package's commands are called from the user's folder, which is not the child's. A clone's may show no path on pages. */
const ofPackage = () => (isClone ? {} : { TAPEDECK_COMMAND: commandName() });

function startWorkerChild(): Child {
  const args = [commandFile, "worker"];
  const env = childEnvironment({ NODE_ENV: "production", ...ofPackage() });
  return startChild(process.execPath, args, { cwd: packageRoot, env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

/** Starts a worker beside the server. It notices by the closed channel that this process was killed. */
export function startWorkerProcess(): KeptProcess {
  return keep(startWorkerChild());
}

/** Starts a worker and waits until it works. Rejects if it exits first, or on an aborted signal. */
export async function restartWorkerProcess(signal: AbortSignal): Promise<KeptProcess> {
  const child = startWorkerChild();
  const worker = keep(child);
  const problem = await untilReady(child, worker, signal);
  if (problem === undefined) return worker;
  await worker.stop();
  throw new Error(problem);
}

/** Returns why the server cannot listen on a port; undefined if it can. */
export function portProblem(host: string, port: number, command: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") {
        const other = port === 65535 ? 3000 : port + 1;
        resolve(`Port ${port} is in use. Choose another: PORT=${other} ${commandLine(command)}`);
      } else resolve(`The server cannot listen on ${host}:${port} (${error.message}). Change HOST or PORT.`);
    });
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

/** Starts the server as a child process and waits until it is ready. Rejects if it exits first, or on an aborted signal. */
export async function startServerProcess(options: ServerOptions): Promise<KeptProcess> {
  const { host, port, isDevelopment, databaseUrl, buildDate, signal } = options;
  const settings = config();
  const { WORKERS: workerCount, STOP_GRACE_S: graceS } = settings;
  const program = isDevelopment || workerCount === 1 ? ["server.mjs"] : ["cluster.mjs", String(workerCount)];
  const [file = "", ...count] = program;
  const args = [
    path.join(packageRoot, "lib/server/http", file),
    ...count,
    "--port",
    String(port),
    "--host",
    host,
    "--stop-grace",
    String(graceS),
  ];
  const lastRequest = openLastRequest();
  if (isDevelopment) args.push("--dev");
  if (lastRequest.descriptor !== "ignore") args.push("--last-request-file", "4");
  const child = startChild(process.execPath, args, {
    cwd: packageRoot,
    env: childEnvironment({
      NODE_ENV: isDevelopment ? "development" : "production",
      NEXT_TELEMETRY_DISABLED: "1",
      ...(!isDevelopment && builtEnvironment()),
      DATABASE_URL: databaseUrl,
      VENDOR_FETCHING: settings.VENDOR_FETCHING ?? fetchingOf(settings),
      ENCRYPTION_KEYS: encryptionKeys()
        ?.map((key) => Buffer.from(key).toString("base64"))
        .join(","),
      TAPEDECK_BUILD_DATE: buildDate,
      ...ofPackage(),
      PORT: String(port),
      HOST: host,
    }),
    // The server reports over IPC that it is ready and alive, and notices by the closed channel that this process was killed.
    stdio: ["ignore", "inherit", "inherit", "ipc", lastRequest.descriptor],
  });
  if (lastRequest.descriptor !== "ignore") closeSync(lastRequest.descriptor);
  const server = keep(child, graceS * secondMs);
  const outcome = await untilReady(child, server, signal);
  if (outcome !== undefined) {
    await server.stop();
    throw new Error(`The server did not start (${outcome}).`);
  }
  // In development, a debugger may stop the event loop.
  if (!isDevelopment)
    watchEventLoop(child, { lastRequest: lastRequest.read, print: (line) => process.stderr.write(line) });
  return server;
}
