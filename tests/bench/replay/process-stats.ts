import { readdirSync, readFileSync } from "node:fs";

/** Ticks per second in which Linux counts CPU time: 100 on every architecture that Node supports. */
const tickMs = 10;

type ProcessStat = { parentPid: number; cpuMs: number };

/** Whether this system has CPU time and memory of other processes under /proc. */
export const hasProcessStats = process.platform === "linux";

/** Returns the fields of /proc/<pid>/stat after the command's name, which can contain spaces and brackets. */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parentPid: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs };
}

function readStat(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined; // It has exited since it was listed.
  }
}

/** Returns the ids of a process and all its current descendants; empty if it has exited. */
export function listProcessTree(rootPid: number): number[] {
  if (!hasProcessStats) return [];
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
    if (stat) parents.set(pid, stat.parentPid);
  }
  if (!parents.has(rootPid)) return [];
  const tree = [rootPid];
  for (let index = 0; index < tree.length; index++) {
    for (const [pid, parentPid] of parents) if (parentPid === tree[index]) tree.push(pid);
  }
  return tree;
}

/** Returns user and system time of these processes with all their threads, in milliseconds; NaN if unknown. */
export function cpuTimeMs(pids: readonly number[]): number {
  if (pids.length === 0) return Number.NaN;
  return pids.reduce((sum, pid) => sum + (readStat(pid)?.cpuMs ?? 0), 0);
}

/** Returns the total resident memory of these processes, in MiB; NaN if unknown. */
export function residentMebibytes(pids: readonly number[]): number {
  if (pids.length === 0) return Number.NaN;
  return pids.reduce((sum, pid) => sum + readResidentKibibytes(pid), 0) / 1024;
}

function readResidentKibibytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0; // It has exited since it was listed.
  }
}
