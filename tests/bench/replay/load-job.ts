import type { Expectation } from "./cassettes";
import type { Spread } from "./percentiles";

/**
 * How the clients of a job begin: `spread` opens a connection and asks on it, evenly over the group's window;
 * `in-phase` opens all connections first and then asks on all of them in one instant.
 */
export const startModes = ["spread", "in-phase"] as const;
export type StartMode = (typeof startModes)[number];

/** Streams of one kind within a job. */
export type StreamGroup = {
  /** Where the server listens, on 127.0.0.1. */
  port: number;
  clientCount: number;
  /** When the first client starts, in milliseconds after the job's begin. */
  startAfterMs: number;
  /** Over how many milliseconds the starts are spread evenly. */
  startWindowMs: number;
  /** The whole HTTP request. */
  request: string;
  expectation: Expectation;
  /**
   * What the arrival of a chunk is: that of its last `byte` by the recording's offsets, or that of its `event`
   * (the n-th empty line), for a server that does not return the recorded bytes.
   */
  boundary: "byte" | "event";
  /** Only chunks due in this span (milliseconds after the job's begin) are counted; all where it is left out. */
  countedSpan?: { fromMs: number; toMs: number };
};

export type LoadJob = { start: StartMode; groups: StreamGroup[] };

/** What the clients of one group saw. */
export type GroupResult = {
  streamCount: number;
  /** Streams that did not end properly or lacked chunks, by reason. */
  failures: Record<string, number>;
  /** Streams whose body has the recording's SHA-256. */
  identicalCount: number;
  /** Chunks that arrived, whether or not they are within the counted span. */
  chunkCount: number;
  /** Distance from the schedule that starts at the stream's own first chunk. */
  error: Spread;
  /** Distance from the schedule that starts when the client sent its request: connection and start-up count too. */
  errorFromRequest: Spread;
  /** How much later than recorded the first chunk came, from the sending of the request. */
  firstChunkDelay: Spread;
  /** Median over the streams of the last chunk's distance from the schedule. */
  driftMs: number;
};

export type LoadResult = {
  groups: GroupResult[];
  elapsedMs: number;
  /** Processor time of the load generator, as a share of one core. */
  loadCpuShare: number;
};

/** What the load process sends: `ended` as soon as the last stream has, `result` when the sums are done. */
export type LoadMessage = { type: "ready" } | { type: "ended" } | { type: "result"; result: LoadResult };
