import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commandLine, isPidInUse, processToken } from "../processes.mjs";

/** A number that no system gives to a process. */
const impossiblePid = 2_147_483_646;

/** What a running server notes in its cluster folder; `isOurs` tells that a server of this very folder lives. */
export type PostmasterFile = { pid: number; port: number; isOurs: boolean };

function noteFile(cluster: string): string {
  return path.join(cluster, "postmaster.pid");
}

export function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  let lines: string[];
  try {
    lines = readFileSync(noteFile(cluster), "utf8").split("\n");
  } catch {
    return undefined;
  }
  const [pid, folder, port] = [Number(lines[0]), lines[1] ?? "", Number(lines[3])];
  return { pid, port, isOurs: isSameFolder(folder, cluster) && isPostgres(pid) };
}

/**
 * Puts a note right that would keep PostgreSQL from starting. It refuses while any process has the noted number: the
 * number may have passed to another one, or the dead server waits to be reaped, as in containers whose first process
 * reaps none. Only the number changes: by the rest PostgreSQL sees parts of the dead server that are still at work.
 */
export function correctPostmasterFile(cluster: string): void {
  const file = noteFile(cluster);
  const [pid, folder = "", ...rest] = readFileSync(file, "utf8").split("\n");
  // A copied folder: the note speaks of the original's server.
  if (!isSameFolder(folder, cluster)) rmSync(file, { force: true });
  else if (isPidInUse(Number(pid))) writeFileSync(file, [impossiblePid, folder, ...rest].join("\n"));
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
  // Windows tells no command line; there a living process counts as the server.
  return process.platform === "win32" || /postgres/.test(commandLine(pid));
}
