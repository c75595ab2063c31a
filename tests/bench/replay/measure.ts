import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../support/serve";
import type { CassetteName } from "./cassettes";
import type { LoadGenerator } from "./load-generator";
import type { GroupResult, StartMode, StreamGroup } from "./load-job";
import { burst, startWindowMs } from "./plan";
import { cpuTimeMs, listProcessTree, residentMebibytes } from "./process-stats";
import { type StartedProcess, startNode, waitForAnswer } from "./processes";
import type { BenchServer, Cassettes } from "./servers";

/** A running server. */
export type RunningServer = BenchServer & { port: number; process: StartedProcess };

/** Results of one run of one configuration against one server. */
export type Measurement = {
  server: string;
  scenario: "replay" | "burst";
  cassette: CassetteName;
  clientCount: number;
  start: StartMode;
  /** Results of the clients; for a burst, of the streams that were already running. */
  seen: GroupResult;
  /** Failed streams, including those of a burst. */
  failureCount: number;
  /** The server's user and system time during the run, including stream start-up, per chunk that arrived. */
  cpuPerChunkMicroseconds: number;
  residentPeakMebibytes: number;
  residentAfterMebibytes: number;
  loadCpuShare: number;
};

/** Interval of reading the server's memory during a run. */
const memoryIntervalMs = 200;
/** Pause after a run, for sockets to close and garbage to be collected. */
const settleMs = 300;
const warmUpClientCount = 200;

/** Starts a server and waits until it answers. */
export async function startServer(server: BenchServer, cassettes: Cassettes, folder: string): Promise<RunningServer> {
  const port = await freePort();
  const started = startNode(server.name, server.nodeArguments(port, cassettes), server.environment(port, folder));
  await waitForAnswer(started, port, server.readyPath);
  return { ...server, port, process: started };
}

type Clients = Pick<StreamGroup, "clientCount" | "startAfterMs" | "startWindowMs" | "countedSpan">;

function streamGroup(server: RunningServer, cassettes: Cassettes, name: CassetteName, clients: Clients): StreamGroup {
  const cassette = cassettes[name];
  const { port, boundary } = server;
  return { ...clients, port, boundary, request: server.request(cassette), expectation: cassette.expectation };
}

/** Warms up all servers with clients, so that none is measured with cold code. */
export async function warmUp(load: LoadGenerator, running: RunningServer[], cassettes: Cassettes): Promise<void> {
  const clients = { clientCount: warmUpClientCount, startAfterMs: 0, startWindowMs };
  const groups = running.map((server) => streamGroup(server, cassettes, "c60", clients));
  await load.run({ start: "spread", groups }, () => {});
  await sleep(settleMs);
}

type Scenario = Pick<Measurement, "scenario" | "cassette" | "clientCount" | "start">;

async function measureGroups(
  load: LoadGenerator,
  server: RunningServer,
  scenario: Scenario,
  groups: StreamGroup[],
): Promise<Measurement> {
  const pids = listProcessTree(server.process.child.pid!);
  let peak = residentMebibytes(pids);
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMebibytes(pids));
  }, memoryIntervalMs);
  const cpuBeforeMs = cpuTimeMs(pids);
  let cpuMs = Number.NaN;
  const result = await load.run({ start: scenario.start, groups }, () => {
    cpuMs = cpuTimeMs(pids) - cpuBeforeMs;
    clearInterval(watch);
  });
  await sleep(settleMs);
  const chunkCount = result.groups.reduce((sum, group) => sum + group.chunkCount, 0);
  return {
    server: server.name,
    ...scenario,
    seen: result.groups[0]!,
    failureCount: result.groups.reduce((sum, group) => sum + countFailures(group), 0),
    cpuPerChunkMicroseconds: (cpuMs * 1_000) / chunkCount,
    residentPeakMebibytes: peak,
    residentAfterMebibytes: residentMebibytes(pids),
    loadCpuShare: result.loadCpuShare,
  };
}

function countFailures({ failures }: GroupResult): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0);
}

/** Runs clients that all replay the same cassette. */
export function measureReplay(
  load: LoadGenerator,
  server: RunningServer,
  cassettes: Cassettes,
  { cassette, clientCount, start }: Pick<Measurement, "cassette" | "clientCount" | "start">,
): Promise<Measurement> {
  const clients = { clientCount, startAfterMs: 0, startWindowMs: start === "spread" ? startWindowMs : 0 };
  const group = streamGroup(server, cassettes, cassette, clients);
  return measureGroups(load, server, { scenario: "replay", cassette, clientCount, start }, [group]);
}

/** Starts many streams at the same time while others run, and measures the timing of the others. */
export function measureBurst(load: LoadGenerator, server: RunningServer, cassettes: Cassettes): Promise<Measurement> {
  const { cassette, runningClientCount: clientCount, startAfterMs, countedMs } = burst;
  const countedSpan = { fromMs: startAfterMs, toMs: startAfterMs + countedMs };
  const runningClients = { clientCount, startAfterMs: 0, startWindowMs, countedSpan };
  const newClients = { clientCount: burst.newClientCount, startAfterMs, startWindowMs: burst.startWindowMs };
  const groups = [runningClients, newClients].map((clients) => streamGroup(server, cassettes, cassette, clients));
  return measureGroups(load, server, { scenario: "burst", cassette, clientCount, start: "spread" }, groups);
}
