import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "#tests/support/serve";
import {
  cpuTimeMs,
  listProcessTree,
  residentMebibytes,
  root,
  type StartedProcess,
  type StartedRole,
  startNode,
  waitForAnswer,
} from "../processes";
import { aimockPrompt, type BenchCassette, type CassetteName } from "./cassettes";
import type { GroupResult, loadGenerator, StartMode, StreamGroup } from "./load";

export type Cassettes = Record<CassetteName, BenchCassette>;

/** A server that the benchmark can start, and that serves the two cassettes. */
type BenchServer = {
  name: string;
  boundary: StreamGroup["boundary"];
  /** Returns Node's arguments to serve the cassettes on a port of 127.0.0.1. */
  nodeArguments: (port: number, cassettes: Cassettes) => string[];
  isOurs: boolean;
  /** The request that starts the replay of a cassette. */
  request: (cassette: BenchCassette) => string;
  /** A path that answers once the server is ready. */
  readyPath: string;
};

const headers = "Host: 127.0.0.1\r\nAccept: text/event-stream\r\nAccept-Encoding: identity\r\n";
const replayRequest = ({ id }: BenchCassette) => `GET /api/v1/replay/${id} HTTP/1.1\r\n${headers}\r\n`;

function messagesRequest({ name }: BenchCassette): string {
  const messages = [{ role: "user", content: aimockPrompt(name) }];
  const body = JSON.stringify({ model: "claude-bench-1", max_tokens: 1024, stream: true, messages });
  const own = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nx-api-key: none\r\n`;
  return `POST /v1/messages HTTP/1.1\r\n${headers}${own}\r\n${body}`;
}

const ours = { boundary: "byte", isOurs: true, request: replayRequest, readyPath: "/api/v1/health" } as const;

/** All servers of the benchmark, in the order of the report. */
export const servers: readonly BenchServer[] = [
  {
    name: "bare",
    boundary: "byte",
    isOurs: false,
    nodeArguments: (port, { c60, c600 }) => [`${root}tests/bench/replay/bare.mjs`, `${port}`, c60.file, c600.file],
    request: replayRequest,
    readyPath: "/",
  },
  {
    ...ours,
    name: "tapedeck",
    nodeArguments: (port) => [`${root}lib/server/http/server.mjs`, "--port", `${port}`, "--host", "127.0.0.1"],
  },
  {
    ...ours,
    name: "tapedeck-route",
    nodeArguments: (port) => [
      `${root}node_modules/next/dist/bin/next`,
      "start",
      root,
      "-p",
      `${port}`,
      "-H",
      "127.0.0.1",
    ],
  },
  {
    name: "aimock",
    boundary: "event",
    isOurs: false,
    nodeArguments: (port, { c60, c600 }) => [
      `${root}node_modules/@copilotkit/aimock/dist/cli.js`,
      ...["-p", `${port}`, "-f", c60.aimockFixtureFile, "-f", c600.aimockFixtureFile, "--log-level", "silent"],
    ],
    request: messagesRequest,
    readyPath: "/",
  },
];

export type RunningServer = BenchServer & { port: number; process: StartedProcess };

/** Starts a server and waits until it answers. */
export async function startServer(server: BenchServer, cassettes: Cassettes, folder: string): Promise<RunningServer> {
  if (server.isOurs && !existsSync(`${root}.next/BUILD_ID`))
    throw new Error("There is no build: run `npm run build` first.");
  const port = await freePort();
  const store = { CASSETTE_STORE: "folder", CASSETTE_DIR: `${folder}/cassettes` };
  const own = { PORT: `${port}`, ...store, LOG_LEVEL: "warn", NEXT_TELEMETRY_DISABLED: "1" };
  const environment = { NODE_ENV: "production", ...(server.isOurs ? own : {}) };
  const started = startNode(server.name, server.nodeArguments(port, cassettes), environment);
  await waitForAnswer(started, port, server.readyPath);
  return { ...server, port, process: started };
}

/** A load for a server. In a `burst`, many streams start at the same time while others run, whose timing is measured. */
export type Scenario = { kind: "replay" | "burst"; cassette: CassetteName; clientCount: number; start: StartMode };

/** Results of one run of one scenario against one server; in a burst, of the streams that were already running. */
export type Measurement = Scenario &
  GroupResult & {
    server: string;
    /** Failed streams, including those of a burst. */
    failureCount: number;
    /** The server's user and system time during the run, including stream start-up, per chunk that arrived. */
    cpuPerChunkMicroseconds: number;
    residentPeakMebibytes: number;
    /** CPU time of the load generator, as a share of one core. */
    loadCpuShare: number;
  };

/** Window of the clients' starts. */
const startWindowMs = 1_000;
/** New streams that start while others run, and the time after their start during which the others' chunks are counted. */
const burst = { clientCount: 500, startAfterMs: 1_200, startWindowMs: 100 };
const burstCountedMs = 1_000;
const memoryIntervalMs = 200;
/** Pause after a run, for sockets to close and garbage to be collected. */
const settleMs = 300;

export type Load = Pick<StartedRole<typeof loadGenerator>, "ask">;

function groupsOf({ kind, clientCount, start }: Scenario) {
  const all = { clientCount, startAfterMs: 0, startWindowMs: start === "spread" ? startWindowMs : 0 };
  if (kind === "replay") return [all];
  const { startAfterMs } = burst;
  return [{ ...all, countedSpan: { fromMs: startAfterMs, toMs: startAfterMs + burstCountedMs } }, burst];
}

/** Runs clients against a server, and measures their timing and the server's cost. */
export async function measure(
  load: Load,
  server: RunningServer,
  cassettes: Cassettes,
  scenario: Scenario,
): Promise<Measurement> {
  const cassette = cassettes[scenario.cassette];
  const { port, boundary } = server;
  const stream = { port, boundary, request: server.request(cassette), expectation: cassette.expectation };
  const groups = groupsOf(scenario).map((clients): StreamGroup => ({ ...clients, ...stream }));
  const pids = listProcessTree(server.process.pid);
  let peak = residentMebibytes(pids);
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMebibytes(pids));
  }, memoryIntervalMs);
  const cpuBeforeMs = cpuTimeMs(pids);
  const { loadCpuShare } = await load.ask({ start: scenario.start, groups });
  const cpuMs = cpuTimeMs(pids) - cpuBeforeMs;
  clearInterval(watch);
  const results = await load.ask("results");
  await sleep(settleMs);
  const chunkCount = results.groups.reduce((sum, group) => sum + group.chunkCount, 0);
  const failures = results.groups.flatMap((group) => Object.values(group.failures));
  return {
    ...scenario,
    ...results.groups[0]!,
    server: server.name,
    failureCount: failures.reduce((sum, count) => sum + count, 0),
    cpuPerChunkMicroseconds: (cpuMs * 1_000) / chunkCount,
    residentPeakMebibytes: peak,
    loadCpuShare,
  };
}
