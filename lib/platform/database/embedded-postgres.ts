/**
 * Starts and stops the PostgreSQL of the npm packages for one data folder, and finds a running one after its launcher was
 * killed. A lock file serializes concurrent processes.
 */
import { existsSync, readFileSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { takeFileLock } from "../processes.mjs";
import { minuteMs } from "../time";
import {
  type Cluster,
  choosePort,
  initialiseCluster,
  isInitialised,
  openCluster,
  readPassword,
} from "./postgres-cluster";
import { ensureDatabase, isClusterServed, isPort, type PostgresAddress, postgresUrl } from "./postgres-connection";
import { correctPostmasterFile, readPostmasterFile } from "./postmaster-file";
import { runProgram } from "./run-program";

/** Crash recovery is the slowest start. */
const startTimeoutMs = minuteMs;
const stopTimeoutMs = 15_000;
const lockTimeoutMs = 2 * minuteMs;
const pollMs = 50;
const portAttempts = 5;
const logTailBytes = 4_096;
const logLimitBytes = 5 * 1024 * 1024;

type EmbeddedPostgres = {
  /** The value for `DATABASE_URL`, including the password. */
  url: string;
  port: number;
  /** Whether it was already running. */
  isAdopted: boolean;
};

type EmbeddedPostgresOptions = { folder: string; database?: string; settings?: Record<string, string> };

/** Whether the server of a folder was set up. Changes nothing. */
export function hasEmbeddedPostgres(folder: string): boolean {
  return existsSync(path.join(folder, "cluster"));
}

/** Starts the server of a folder, after setting it up the first time, or returns the running one. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { folder, database = "tapedeck", settings = {} } = options;
  const cluster = openCluster(folder);
  return withLock(folder, async () => {
    if (!isInitialised(cluster)) await initialiseCluster(cluster);
    const running = await findRunning(cluster);
    const address = running ?? (await startServer(cluster, settings));
    await ensureDatabase(address, database);
    return { url: postgresUrl(address, database), port: address.port, isAdopted: running !== undefined };
  });
}

/** Whether the main process of the server of a folder exists. Does not connect to it. */
export function isEmbeddedPostgresRunning(folder: string): boolean {
  return readPostmasterFile(path.join(folder, "cluster"))?.isOurs ?? false;
}

/** Returns the URL of the running server of a folder; undefined if none is running. Changes nothing. */
export async function findEmbeddedPostgres(folder: string, database = "tapedeck"): Promise<string | undefined> {
  if (!hasEmbeddedPostgres(folder)) return undefined;
  const cluster = openCluster(folder);
  const address = currentAddress(cluster);
  return address && (await isClusterServed(address, cluster.data)) ? postgresUrl(address, database) : undefined;
}

/** Stops the server of a folder, rolling back open transactions. Returns false if none was running. */
export async function stopEmbeddedPostgres(folder: string): Promise<boolean> {
  if (!hasEmbeddedPostgres(folder)) return false;
  const cluster = openCluster(folder);
  return withLock(folder, async () => {
    if (!readPostmasterFile(cluster.data)?.isOurs) return false;
    await stopServer(cluster);
    return true;
  });
}

/** No process can start a server on a read-only disk, so that stopping one needs no lock. */
function withoutLockIfReadOnly(error: NodeJS.ErrnoException) {
  if (error.code !== "EROFS") throw error;
  return { release: () => undefined, holder: undefined };
}

async function withLock<T>(folder: string, use: () => Promise<T>): Promise<T> {
  const lock = takeFileLock(path.join(folder, "lock"), { timeoutMs: lockTimeoutMs });
  const { release, holder } = await lock.catch(withoutLockIfReadOnly);
  if (!release)
    throw new Error(
      `Process ${holder?.pid ?? "(unknown)"} has been holding the lock of ${folder} for over ${lockTimeoutMs / minuteMs} minutes.`,
    );
  try {
    return await use();
  } finally {
    release();
  }
}

function currentAddress(cluster: Cluster): PostgresAddress | undefined {
  const password = readPassword(cluster);
  const { port = Number.NaN } = readPostmasterFile(cluster.data) ?? {};
  return password !== undefined && isPort(port) ? { password, port } : undefined;
}

/** Waits for a server that is starting or stopping, and corrects a stale postmaster file. */
async function findRunning(cluster: Cluster): Promise<PostgresAddress | undefined> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const file = readPostmasterFile(cluster.data);
    if (!file) return undefined;
    if (!file.isOurs) {
      correctPostmasterFile(cluster.data);
      return undefined;
    }
    const address = currentAddress(cluster);
    if (address && (await isClusterServed(address, cluster.data))) return address;
    if (Date.now() >= deadline) {
      await stopServer(cluster);
      return undefined;
    }
    await delay(pollMs);
  }
}

/** Runs PostgreSQL's program that starts or stops a server, which waits until that is done. */
function control({ account, binaries, data, folder }: Cluster, verb: string, timeoutMs: number, options: string[]) {
  const common = [`--pgdata=${data}`, "--wait", "--silent", `--timeout=${timeoutMs / 1_000}`];
  const command = [binaries.pgControl, verb, ...common, ...options] as const;
  return runProgram(account, command, { timeoutMs: timeoutMs + pollMs, folder });
}

async function startServer(cluster: Cluster, settings: Record<string, string>): Promise<PostgresAddress> {
  if ((statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0) > logLimitBytes) {
    renameSync(cluster.log, `${cluster.log}.old`);
  }
  const deadline = Date.now() + startTimeoutMs;
  const isAfterKill = readPostmasterFile(cluster.data) !== undefined;
  let isInUse = false;
  for (let attempt = 1; ; ) {
    const address = await choosePort(cluster, { isInUse, isAfterKill });
    const logStart = statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0;
    const serverOptions = [
      `-p ${address.port}`,
      ...Object.entries(settings).map(([key, value]) => `-c ${key}=${value}`),
    ];
    const options = [`--log=${cluster.log}`, `--options=${serverOptions.join(" ")}`];
    const { exitCode, output } = await control(cluster, "start", startTimeoutMs, options);
    if (exitCode === 0 && (await isClusterServed(address, cluster.data))) return address;
    const tail = readTail(cluster.log, logStart);
    // The processes of a killed server need a moment to exit.
    const isPredecessorExiting = /pre-existing shared memory block/.test(tail) && Date.now() < deadline;
    isInUse = /could not bind|address already in use/i.test(tail);
    if (!isPredecessorExiting) attempt += 1;
    if (!isPredecessorExiting && (!isInUse || attempt > portAttempts)) {
      throw new Error(`The embedded PostgreSQL did not start.\n${output}\n${tail}\nIts log: ${cluster.log}`);
    }
    await delay(pollMs);
  }
}

async function stopServer(cluster: Cluster): Promise<void> {
  let output = "";
  for (const mode of ["fast", "immediate"]) {
    const result = await control(cluster, "stop", stopTimeoutMs, [`--mode=${mode}`]);
    if (!readPostmasterFile(cluster.data)?.isOurs) return;
    output = result.output;
  }
  throw new Error(`The embedded PostgreSQL did not stop.\n${output}\nIts log: ${cluster.log}`);
}

function readTail(file: string, from: number): string {
  if (!existsSync(file)) return "";
  const log = readFileSync(file);
  return log
    .subarray(Math.max(from, log.byteLength - logTailBytes))
    .toString("utf8")
    .trim();
}
