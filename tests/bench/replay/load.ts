/** The load generator, the same for all servers: a process of its own that runs one job at a time. */
import { spreadOf } from "../harness";
import type { Expectation } from "./cassettes";
import { StreamClient } from "./stream-client";

/**
 * How the clients of a job start: `spread` opens connections and sends their requests evenly over the group's window;
 * `in-phase` first opens all connections and then sends all requests at the same time.
 */
export type StartMode = "spread" | "in-phase";

/** Streams of one kind within a job. Times are in milliseconds after the start of the job. */
export type StreamGroup = {
  /** Port of the server on 127.0.0.1. */
  port: number;
  clientCount: number;
  startAfterMs: number;
  /** Window over which the starts are spread evenly, in milliseconds. */
  startWindowMs: number;
  /** The complete HTTP request. */
  request: string;
  expectation: Expectation;
  /**
   * What the arrival of a chunk is: that of its last `byte` by the recording's offsets, or that of its `event`
   * (the n-th empty line), for a server that does not return the recorded bytes.
   */
  boundary: "byte" | "event";
  /** Counts only chunks due in this span. Default: all. */
  countedSpan?: { fromMs: number; toMs: number };
};

export type LoadJob = { start: StartMode; groups: StreamGroup[] };

/** Results of the clients of one group. */
export type GroupResult = {
  streamCount: number;
  /** Streams that did not end properly or missed chunks, by reason. */
  failures: Record<string, number>;
  /** Streams whose body has the recording's SHA-256. */
  identicalCount: number;
  /** Chunks that arrived, inside or outside the counted span. */
  chunkCount: number;
  /** Distance from the schedule that starts at the stream's own first chunk. */
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Distance from the schedule that starts when the client sent its request, which includes connection and start-up. */
  fromRequestP99Ms: number;
  /** Delay of the first chunk compared with the recording, from when the request was sent. */
  firstChunkP99Ms: number;
  /** Median over the streams of the last chunk's distance from the schedule. */
  driftMs: number;
};

/** How long the job waits after the last chunk is due before open streams count as failed. */
const patienceMs = 20_000;
/** Time over which the connections of an in-phase job are opened before the requests. */
const connectWindowMs = 500;

/** Runs each action at its time (milliseconds of `performance.now()`), all due actions together. */
function runAt(actions: { atMs: number; run: () => void }[]): void {
  const ordered = [...actions].sort((a, b) => a.atMs - b.atMs);
  let next = 0;
  const timer = setInterval(() => {
    while (next < ordered.length && ordered[next]!.atMs <= performance.now()) ordered[next++]!.run();
    if (next === ordered.length) clearInterval(timer);
  }, 1);
}

/** Runs a job until every stream has ended or was abandoned. Returns the clients of each group. */
async function play({ start, groups }: LoadJob): Promise<{ clients: StreamClient[][]; startedAtMs: number }> {
  let openCount = groups.reduce((sum, { clientCount }) => sum + clientCount, 0);
  let resolveEnded: () => void;
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  const onEnd = () => --openCount === 0 && resolveEnded();
  const clients = groups.map((group) =>
    Array.from({ length: group.clientCount }, () => new StreamClient(group, onEnd)),
  );
  const all = clients.flat();
  if (start === "in-phase") {
    const firstMs = performance.now();
    await new Promise<void>((resolve) => {
      let connectedCount = 0;
      const connected = () => ++connectedCount === all.length && resolve();
      runAt(
        all.map((client, index) => ({
          atMs: firstMs + (index * connectWindowMs) / all.length,
          run: () => client.open(connected),
        })),
      );
      setTimeout(resolve, connectWindowMs * 4);
    });
  }
  const startedAtMs = performance.now();
  if (start === "in-phase") for (const client of all) client.request();
  else {
    const startOf = ({ startAfterMs, startWindowMs, clientCount }: StreamGroup, index: number) =>
      startedAtMs + startAfterMs + (index * startWindowMs) / clientCount;
    const starts = clients.flatMap((own) =>
      own.map((client, index) => ({ client, atMs: startOf(client.group, index) })),
    );
    runAt(starts.map(({ client, atMs }) => ({ atMs, run: () => client.open(() => client.request()) })));
  }
  const lastDueMs = Math.max(
    ...groups.map((group) => group.startAfterMs + group.startWindowMs + group.expectation.dueMs.at(-1)!),
  );
  const giveUp = () => {
    for (const client of all) client.finish("timed out");
  };
  const watchdog = setTimeout(() => giveUp(), lastDueMs + patienceMs);
  await ended;
  clearTimeout(watchdog);
  return { clients, startedAtMs };
}

/** Summarizes one group's streams. `startedAtMs` is the start of the job on the clock of the arrivals. */
function summarize(clients: readonly StreamClient[], startedAtMs: number): GroupResult {
  const failures: Record<string, number> = {};
  for (const { failure } of clients) if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
  const started = clients.filter(({ arrivedCount }) => arrivedCount > 0);
  const [fromFirstChunk, fromRequest, drifts]: [number[], number[], number[]] = [[], [], []];
  for (const { group, arrivalsMs, arrivedCount, originMs, requestedAtMs } of started) {
    const { expectation, countedSpan } = group;
    const arrived = Math.min(arrivedCount, arrivalsMs.length);
    for (let index = 0; index < arrived; index++) {
      const dueMs = expectation.dueMs[index]!;
      const dueAfterStartMs = originMs + dueMs - startedAtMs;
      if (countedSpan && (dueAfterStartMs < countedSpan.fromMs || dueAfterStartMs >= countedSpan.toMs)) continue;
      fromFirstChunk.push(Math.abs(arrivalsMs[index]! - originMs - dueMs));
      fromRequest.push(Math.abs(arrivalsMs[index]! - requestedAtMs - dueMs));
    }
    if (arrived === arrivalsMs.length) drifts.push(Math.abs(arrivalsMs.at(-1)! - originMs - expectation.dueMs.at(-1)!));
  }
  return {
    streamCount: clients.length,
    failures,
    identicalCount: clients.filter((client) => client.isIdentical()).length,
    chunkCount: clients.reduce((sum, { arrivedCount }) => sum + arrivedCount, 0),
    ...spreadOf(fromFirstChunk),
    fromRequestP99Ms: spreadOf(fromRequest).p99Ms,
    firstChunkP99Ms: spreadOf(started.map(({ originMs, requestedAtMs }) => Math.abs(originMs - requestedAtMs))).p99Ms,
    driftMs: spreadOf(drifts).p50Ms,
  };
}

/** Runs jobs. The answer to a job comes when its last stream has ended; the next message, `results`, asks for its results. */
export function loadGenerator() {
  let summaries: () => GroupResult[] = () => [];
  const answer = async (message: LoadJob | "results"): Promise<{ groups: GroupResult[]; loadCpuShare: number }> => {
    if (message === "results") return { groups: summaries(), loadCpuShare: Number.NaN };
    const [cpu, startMs] = [process.cpuUsage(), performance.now()];
    const { clients, startedAtMs } = await play(message);
    const { user, system } = process.cpuUsage(cpu);
    const loadCpuShare = (user + system) / 1_000 / (performance.now() - startMs);
    summaries = () => clients.map((own) => summarize(own, startedAtMs));
    return { groups: [], loadCpuShare };
  };
  return { ready: true, answer };
}
