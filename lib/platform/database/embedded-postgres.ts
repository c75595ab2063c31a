/**
 * The PostgreSQL that comes with the npm packages, as a server of one data folder: started, found again after its
 * starter was killed, and stopped. Other processes may do the same at any time; a lock file puts them in order.
 */
import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { takeFileLock } from "../processes.mjs";
import {
  type Cluster,
  choosePort,
  initialiseCluster,
  isInitialised,
  openCluster,
  readAddress,
} from "./postgres-cluster";
import { ensureDatabase, isClusterServed, type PostgresAddress, postgresUrl } from "./postgres-connection";
import { correctPostmasterFile, readPostmasterFile } from "./postmaster-file";
import { runProgram } from "./run-program";

/** Crash recovery after a power cut is the slowest start. */
const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
const lockTimeoutMs = 120_000;
const pollMs = 50;
const portAttempts = 5;
const logTailBytes = 4_096;
const logLimitBytes = 5 * 1024 * 1024;

export type EmbeddedPostgres = {
  /** For `DATABASE_URL`; holds the password. */
  url: string;
  port: number;
  /** It ran already, left over or started by another command. */
  isAdopted: boolean;
};

export type EmbeddedPostgresOptions = { folder: string; database?: string; settings?: Record<string, string> };

/** Starts the server of this folder, setting it up the first time, or takes over the one that runs. */
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

/** Where the server of this folder answers; undefined where it does not run. Changes nothing. */
export async function findEmbeddedPostgres(folder: string, database = "tapedeck"): Promise<string | undefined> {
  if (!existsSync(path.join(folder, "cluster"))) return undefined;
  const cluster = openCluster(folder);
  const address = currentAddress(cluster);
  return address && (await isClusterServed(address, cluster.data)) ? postgresUrl(address, database) : undefined;
}

/** Stops the server of this folder; false where none ran. Open transactions are rolled back. */
export async function stopEmbeddedPostgres(folder: string): Promise<boolean> {
  if (!existsSync(path.join(folder, "cluster"))) return false;
  const cluster = openCluster(folder);
  return withLock(folder, async () => {
    if (!readPostmasterFile(cluster.data)?.isOurs) return false;
    await stopServer(cluster);
    return true;
  });
}

async function withLock<T>(folder: string, use: () => Promise<T>): Promise<T> {
  const { release, holder } = await takeFileLock(path.join(folder, "lock"), { timeoutMs: lockTimeoutMs });
  if (!release) throw new Error(`Process ${holder?.pid ?? "(unknown)"} holds ${folder} and does not let go.`);
  try {
    return await use();
  } finally {
    release();
  }
}

function currentAddress(cluster: Cluster): PostgresAddress | undefined {
  const kept = readAddress(cluster);
  const port = readPostmasterFile(cluster.data)?.port;
  return kept && port ? { ...kept, port } : undefined;
}

/** Waits for a server of ours that is coming up or going down; clears notes that speak of none. */
async function findRunning(cluster: Cluster): Promise<PostgresAddress | undefined> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const note = readPostmasterFile(cluster.data);
    if (!note) return undefined;
    if (!note.isOurs) {
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

async function startServer(cluster: Cluster, settings: Record<string, string>): Promise<PostgresAddress> {
  if ((statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0) > logLimitBytes) {
    renameSync(cluster.log, `${cluster.log}.old`);
  }
  const deadline = Date.now() + startTimeoutMs;
  let isTaken = false;
  for (let attempt = 1; ; ) {
    const address = await choosePort(cluster, isTaken);
    const logStart = statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0;
    const serverOptions = [
      `-p ${address.port}`,
      ...Object.entries(settings).map(([key, value]) => `-c ${key}=${value}`),
    ];
    const { exitCode, output } = await runProgram(
      cluster.account,
      [
        cluster.binaries.pgControl,
        "start",
        `--pgdata=${cluster.data}`,
        `--log=${cluster.log}`,
        "--wait",
        "--silent",
        `--timeout=${startTimeoutMs / 1_000}`,
        `--options=${serverOptions.join(" ")}`,
      ],
      { timeoutMs: startTimeoutMs + pollMs, folder: cluster.folder },
    );
    if (exitCode === 0 && (await isClusterServed(address, cluster.data))) return address;
    const tail = readTail(cluster.log, logStart);
    // The parts of a killed server need a moment to notice that it is gone.
    const isPredecessorLeaving = /pre-existing shared memory block/.test(tail) && Date.now() < deadline;
    isTaken = /could not bind|address already in use/i.test(tail);
    if (!isPredecessorLeaving) attempt += 1;
    if (!isPredecessorLeaving && (!isTaken || attempt > portAttempts)) {
      throw new Error(`The embedded PostgreSQL does not start.\n${output}\n${tail}\nIts log: ${cluster.log}`);
    }
    await delay(pollMs);
  }
}

async function stopServer(cluster: Cluster): Promise<void> {
  let output = "";
  for (const mode of ["fast", "immediate"]) {
    const result = await runProgram(
      cluster.account,
      [
        cluster.binaries.pgControl,
        "stop",
        `--pgdata=${cluster.data}`,
        `--mode=${mode}`,
        "--wait",
        "--silent",
        `--timeout=${stopTimeoutMs / 1_000}`,
      ],
      { timeoutMs: stopTimeoutMs + pollMs, folder: cluster.folder },
    );
    if (!readPostmasterFile(cluster.data)?.isOurs) return;
    output = result.output;
  }
  throw new Error(`The embedded PostgreSQL does not stop.\n${output}\nIts log: ${cluster.log}`);
}

function readTail(file: string, from: number): string {
  if (!existsSync(file)) return "";
  const start = Math.max(from, statSync(file).size - logTailBytes);
  const buffer = Buffer.alloc(logTailBytes);
  const descriptor = openSync(file, "r");
  try {
    return buffer
      .subarray(0, readSync(descriptor, buffer, 0, logTailBytes, start))
      .toString("utf8")
      .trim();
  } finally {
    closeSync(descriptor);
  }
}
