import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in these ticks; it is 100 a second on every architecture that Node supports. */
const tickMs = 10;

type ProcessStat = { parentPid: number; cpuMs: number };

/** Whether this system tells the processor time and memory of other processes under /proc. */
export const hasProcessStats = process.platform === "linux";

/** The fields of /proc/<pid>/stat behind the command's name, which may itself hold spaces and brackets. */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parentPid: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs };
}

function readStat(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined; // It has ended since it was listed.
  }
}

/** A process and all its descendants, as they are now; none if it has ended. */
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

/** User and system time of these processes with all their threads, in milliseconds; NaN where it is not told. */
export function cpuTimeMs(pids: readonly number[]): number {
  if (pids.length === 0) return Number.NaN;
  return pids.reduce((sum, pid) => sum + (readStat(pid)?.cpuMs ?? 0), 0);
}

/** Resident memory of these processes together, in MiB; NaN where it is not told. */
export function residentMebibytes(pids: readonly number[]): number {
  if (pids.length === 0) return Number.NaN;
  return pids.reduce((sum, pid) => sum + readResidentKibibytes(pid), 0) / 1024;
}

function readResidentKibibytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0; // It has ended since it was listed.
  }
}
