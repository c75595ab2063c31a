import type { Expectation } from "./cassettes";
import type { Spread } from "./percentiles";

/**
 * How the clients of a job start: `spread` opens connections and sends their requests evenly over the group's window;
 * `in-phase` first opens all connections and then sends all requests at the same time.
 */
export const startModes = ["spread", "in-phase"] as const;
export type StartMode = (typeof startModes)[number];

/** Streams of one kind within a job. */
export type StreamGroup = {
  /** Port of the server on 127.0.0.1. */
  port: number;
  clientCount: number;
  /** When the first client starts, in milliseconds after the start of the job. */
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
  /** Counts only chunks due in this span, in milliseconds after the start of the job. Default: all. */
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
  error: Spread;
  /** Distance from the schedule that starts when the client sent its request, which includes connection and start-up. */
  errorFromRequest: Spread;
  /** Delay of the first chunk compared with the recording, from when the request was sent. */
  firstChunkDelay: Spread;
  /** Median over the streams of the last chunk's distance from the schedule. */
  driftMs: number;
};

export type LoadResult = {
  groups: GroupResult[];
  elapsedMs: number;
  /** CPU time of the load generator, as a share of one core. */
  loadCpuShare: number;
};

/** Messages of the load process: `ended` when the last stream has ended, `result` when the results are computed. */
export type LoadMessage = { type: "ready" } | { type: "ended" } | { type: "result"; result: LoadResult };
