import { setTimeout as sleep } from "node:timers/promises";
import { type Adapter, freePort, serve } from "#tests/support/serve";
import type { Tools } from "../harness";
import {
  cpuTimeMs,
  listProcessTree,
  residentMebibytes,
  type StartedRole,
  startNode,
  waitForAnswer,
} from "../processes";
import { aimockPrompt, type BenchCassette, type CassetteName } from "./cassettes";
import type { GroupResult, loadGenerator, StartMode, StreamGroup } from "./load";

export type Cassettes = Record<CassetteName, BenchCassette>;

export type RunningServer = {
  name: string;
  port: number;
  pid: number;
  boundary: StreamGroup["boundary"];
  /** Returns the HTTP request that starts the replay of a cassette. */
  request: (cassette: BenchCassette) => string;
};

const headers = "Host: 127.0.0.1\r\nAccept: text/event-stream\r\nAccept-Encoding: identity\r\n";
const replayRequest = ({ id }: BenchCassette) => `GET /api/v1/replay/${id} HTTP/1.1\r\n${headers}\r\n`;

function messagesRequest({ name }: BenchCassette): string {
  const messages = [{ role: "user", content: aimockPrompt(name) }];
  const body = JSON.stringify({ model: "claude-bench-1", max_tokens: 1024, stream: true, messages });
  const own = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nx-api-key: none\r\n`;
  return `POST /v1/messages HTTP/1.1\r\n${headers}${own}\r\n${body}`;
}

/** Starts a server in plain Node, on a port that it gets as an argument. */
async function startPlain(name: string, args: (port: number) => string[]) {
  const port = await freePort();
  const started = startNode(name, args(port), { NODE_ENV: "production" });
  await waitForAnswer(started, port, "/");
  return { name, port, pid: started.pid };
}

/** Starts the built app with the cassettes. */
export async function startOurs(
  name: string,
  adapter: Adapter,
  folder: string,
  cleanUp: Tools["cleanUp"],
  more: Record<string, string> = {},
) {
  const environment = { CASSETTE_STORE: "folder", CASSETTE_DIR: `${folder}/cassettes`, LOG_LEVEL: "warn" };
  const { origin, pid, stop } = await serve(adapter, { ...environment, ...more });
  cleanUp(stop);
  return { name, port: Number(new URL(origin).port), pid, boundary: "byte", request: replayRequest } as const;
}

type Start = (cassettes: Cassettes, folder: string, cleanUp: Tools["cleanUp"]) => Promise<RunningServer>;

/** All servers of the benchmark, in the order of the report. */
export const servers: Record<string, Start> = {
  bare: async ({ c60, c600 }) => {
    const started = await startPlain("bare", (port) => ["tests/bench/replay/bare.mjs", `${port}`, c60.file, c600.file]);
    return { ...started, boundary: "byte", request: replayRequest };
  },
  tapedeck: (_, folder, cleanUp) => startOurs("tapedeck", "node", folder, cleanUp),
  "tapedeck-route": (_, folder, cleanUp) => startOurs("tapedeck-route", "route", folder, cleanUp),
  aimock: async ({ c60, c600 }) => {
    const fixtures = ["-f", c60.aimockFixtureFile, "-f", c600.aimockFixtureFile];
    const args = (port: number) => ["-p", `${port}`, ...fixtures, "--log-level", "silent"];
    const program = "node_modules/@copilotkit/aimock/dist/cli.js";
    const started = await startPlain("aimock", (port) => [program, ...args(port)]);
    return { ...started, boundary: "event", request: messagesRequest };
  },
};

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
  const pids = listProcessTree(server.pid);
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
