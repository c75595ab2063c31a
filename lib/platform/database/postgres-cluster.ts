import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { giveTo, type PostgresAccount, postgresAccount } from "./postgres-account";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres-binaries";
import { findFreePort, type PostgresAddress, postgresUser } from "./postgres-connection";
import { runProgram } from "./run-program";

const initTimeoutMs = 60_000;

/** Everything about one data folder: who runs it, with which programs, and where its parts lie. */
export type Cluster = {
  folder: string;
  data: string;
  log: string;
  binaries: PostgresBinaries;
  account: PostgresAccount;
};

/** Makes the folder where it is missing, and says how its server is run. */
export function openCluster(folder: string): Cluster {
  const binaries = findPostgresBinaries();
  mkdirSync(folder, { recursive: true });
  const data = path.join(folder, "cluster");
  const account = postgresAccount(data, binaries.postgres);
  giveTo(account, folder);
  try {
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw new Error(
      `${folder} belongs to another user. Run Tapedeck as that user, or set TAPEDECK_DATA_DIR to a folder of your own.`,
      { cause },
    );
  }
  return { folder, data, log: path.join(folder, "server.log"), binaries, account };
}

export function isInitialised(cluster: Cluster): boolean {
  return existsSync(cluster.data);
}

/** Makes the cluster beside its place and moves it there: one that was broken off half-way is never taken for whole. */
export async function initialiseCluster(cluster: Cluster): Promise<void> {
  removeUnfinished(cluster);
  // A name of its own: the initdb of a killed start may still be writing to the other one.
  const unfinished = `${cluster.data}.new-${process.pid}`;
  writePrivately(cluster, "password", randomBytes(24).toString("base64url"));
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
  if (exitCode !== 0) throw new Error(`The embedded PostgreSQL cannot be set up in ${cluster.folder}:\n${output}`);
  renameSync(unfinished, cluster.data);
}

function removeUnfinished(cluster: Cluster): void {
  for (const name of readdirSync(cluster.folder)) {
    if (!name.startsWith("cluster.new-")) continue;
    try {
      rmSync(path.join(cluster.folder, name), { recursive: true, force: true });
    } catch {
      // Somebody still writes there; the next set-up removes it.
    }
  }
}

/** Port and password, as far as they have been chosen. */
export function readAddress(cluster: Cluster): PostgresAddress | undefined {
  try {
    const read = (name: string) => readFileSync(path.join(cluster.folder, name), "utf8").trim();
    return { password: read("password"), port: Number(read("port")) };
  } catch {
    return undefined;
  }
}

/** The port that this folder keeps, or a new one where it has none or `isTaken`. */
export async function choosePort(cluster: Cluster, isTaken = false): Promise<PostgresAddress> {
  const kept = readAddress(cluster);
  if (kept && !isTaken && (await findFreePort(kept.port))) return kept;
  const port = await findFreePort();
  if (port === undefined) throw new Error("No free TCP port on 127.0.0.1 for the embedded PostgreSQL.");
  writePrivately(cluster, "port", String(port));
  const chosen = readAddress(cluster);
  if (!chosen) throw new Error(`${cluster.folder} has no password file; remove that folder to start anew.`);
  return chosen;
}

function writePrivately(cluster: Cluster, name: string, content: string): void {
  const file = path.join(cluster.folder, name);
  // Written aside and moved: a kill in between leaves the old file or the new one, whole.
  writeFileSync(`${file}.new`, `${content}\n`, { mode: 0o600 });
  giveTo(cluster.account, `${file}.new`);
  renameSync(`${file}.new`, file);
}
