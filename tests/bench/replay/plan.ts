import type { CassetteName } from "./cassettes";
import type { StartMode } from "./load-job";
import type { BenchOptions } from "./options";

/** One cell of the matrix: the load for every server, and the number of runs. */
export type Configuration = {
  cassette: CassetteName;
  clientCount: number;
  start: StartMode;
  runCount: number;
  /** Servers to omit, because the load is far over their limit and the run would only take time. */
  withoutServers: string[];
};

/** Window of the clients' starts, as in the target: "started within 1 s". */
export const startWindowMs = 1_000;
/** Maximum error that counts as in time in the search for the maximum number of clients. */
export const searchLimitMs = 25;
/** Numbers of clients to try in turn. */
export const searchSteps = [50, 100, 200, 300, 500, 750, 1_000, 1_250, 1_500, 2_000];

/** Minimum number of clients for which a configuration is repeated. With fewer, the server is idle and runs hardly differ. */
const repeatedFromClientCount = 200;

/** Number of clients from which a server is omitted for the 600-chunk cassette, because it is far over its capacity. */
const leftOutFrom: [server: string, clientCount: number][] = [
  ["aimock", 500],
  ["tapedeck-route", 1_000],
];

function leftOut(cassette: CassetteName, clientCount: number): string[] {
  return cassette === "c600" ? leftOutFrom.filter(([, from]) => clientCount >= from).map(([server]) => server) : [];
}

/** New streams that start at the same time while others run. */
export const burst = {
  cassette: "c60",
  runningClientCount: 200,
  newClientCount: 500,
  /** When they start, and over which window, in milliseconds after the first of the running streams. */
  startAfterMs: 1_200,
  startWindowMs: 100,
  /** Time after their start during which the running streams' chunks are counted. */
  countedMs: 1_000,
} as const;

function cells(cassette: CassetteName, start: StartMode, clientCounts: number[], runCount: number): Configuration[] {
  return clientCounts.map((clientCount) => ({
    cassette,
    clientCount,
    start,
    runCount: clientCount < repeatedFromClientCount ? 1 : runCount,
    withoutServers: leftOut(cassette, clientCount),
  }));
}

/** The configurations of a run, lightest first. */
export function planConfigurations({ quick, runCount }: BenchOptions): Configuration[] {
  if (quick) return [...cells("c60", "spread", [200], runCount), ...cells("c600", "spread", [200], runCount)];
  return [
    ...cells("c60", "spread", [1, 50, 200, 500, 1_000], runCount),
    ...cells("c600", "spread", [1, 50, 200, 500, 1_000], runCount),
    ...cells("c60", "in-phase", [200], runCount),
    ...cells("c600", "in-phase", [200], runCount),
  ];
}
