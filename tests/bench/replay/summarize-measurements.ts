import type { Measurement } from "./measure";
import { type RunSummary, summarizeRuns } from "./percentiles";

/** All runs of one configuration against one server. */
export type Row = Pick<Measurement, "server" | "scenario" | "cassette" | "clientCount" | "start"> & {
  runCount: number;
  p50Ms: RunSummary;
  p99Ms: RunSummary;
  maxMs: RunSummary;
  driftMs: RunSummary;
  firstChunkP99Ms: RunSummary;
  fromRequestP99Ms: RunSummary;
  cpuPerChunkMicroseconds: RunSummary;
  residentPeakMebibytes: RunSummary;
  loadCpuShare: RunSummary;
  streamCount: number;
  identicalCount: number;
  failureCount: number;
};

function keyOf({ server, scenario, cassette, clientCount, start }: Measurement): string {
  return [server, scenario, cassette, clientCount, start].join(" ");
}

function toRow(runs: Measurement[]): Row {
  const { server, scenario, cassette, clientCount, start } = runs[0]!;
  const over = (pick: (run: Measurement) => number) => summarizeRuns(runs.map(pick));
  const sum = (pick: (run: Measurement) => number) => runs.reduce((total, run) => total + pick(run), 0);
  return {
    server,
    scenario,
    cassette,
    clientCount,
    start,
    runCount: runs.length,
    p50Ms: over(({ seen }) => seen.error.p50Ms),
    p99Ms: over(({ seen }) => seen.error.p99Ms),
    maxMs: over(({ seen }) => seen.error.maxMs),
    driftMs: over(({ seen }) => seen.driftMs),
    firstChunkP99Ms: over(({ seen }) => seen.firstChunkDelay.p99Ms),
    fromRequestP99Ms: over(({ seen }) => seen.errorFromRequest.p99Ms),
    cpuPerChunkMicroseconds: over((run) => run.cpuPerChunkMicroseconds),
    residentPeakMebibytes: over((run) => run.residentPeakMebibytes),
    loadCpuShare: over((run) => run.loadCpuShare),
    streamCount: sum(({ seen }) => seen.streamCount),
    identicalCount: sum(({ seen }) => seen.identicalCount),
    failureCount: sum((run) => run.failureCount),
  };
}

/** Returns one row for each configuration and server, in the order of their first measurement. */
export function summarizeMeasurements(measurements: readonly Measurement[]): Row[] {
  const groups = new Map<string, Measurement[]>();
  for (const measurement of measurements) {
    const key = keyOf(measurement);
    groups.set(key, [...(groups.get(key) ?? []), measurement]);
  }
  return [...groups.values()].map(toRow);
}
