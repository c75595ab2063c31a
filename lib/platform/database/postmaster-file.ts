import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commandLine, isPidInUse, processToken } from "../processes.mjs";

/** A process id that no system assigns. */
const impossiblePid = 2_147_483_646;

/** The `postmaster.pid` of a cluster. `isOurs` is true if a server of this folder is running. */
type PostmasterFile = { pid: number; port: number; isOurs: boolean };

function fileOf(cluster: string): string {
  return path.join(cluster, "postmaster.pid");
}

export function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  let lines: string[];
  try {
    lines = readFileSync(fileOf(cluster), "utf8").split("\n");
  } catch {
    return undefined;
  }
  const [pid, folder, port] = [Number(lines[0]), lines[1] ?? "", Number(lines[3])];
  return { pid, port, isOurs: isSameFolder(folder, cluster) && isPostgres(pid) };
}

/**
 * Corrects a stale file, with which PostgreSQL would refuse to start. PostgreSQL only checks whether any process has the
 * recorded id, which may have been reused, or belong to a dead server that waits to be reaped, as in containers without
 * an init process. Only the id is replaced: PostgreSQL uses the rest to detect remaining processes of the dead server.
 */
export function correctPostmasterFile(cluster: string): void {
  const file = fileOf(cluster);
  const [pid, folder = "", ...rest] = readFileSync(file, "utf8").split("\n");
  // A copied folder: the file describes the original's server.
  if (!isSameFolder(folder, cluster)) rmSync(file, { force: true });
  else if (!isProcessId(Number(pid)) || isPidInUse(Number(pid)))
    writeFileSync(file, [impossiblePid, folder, ...rest].join("\n"));
}

function isProcessId(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0;
}

export function isSameFolder(left: string, right: string): boolean {
  try {
    return realpathSync(left) === realpathSync(right);
  } catch {
    return false;
  }
}

function isPostgres(pid: number): boolean {
  if (processToken(pid) === undefined) return false;
  // Windows does not provide the command line; any running process counts as the server there.
  return process.platform === "win32" || /postgres/.test(commandLine(pid));
}
