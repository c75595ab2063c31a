import type { CassetteName } from "./cassettes";
import type { StartMode } from "./load-job";
import type { BenchOptions } from "./options";

/** One cell of the matrix: what every server is asked to do, and how often. */
export type Configuration = {
  cassette: CassetteName;
  clientCount: number;
  start: StartMode;
  runCount: number;
  /** Servers that are left out, because they are far beyond their limit there and the run would only take time. */
  withoutServers: string[];
};

/** Over how long the clients' starts are spread, as the target says: "started within 1 s". */
export const startWindowMs = 1_000;
/** What counts as in time when the most clients are looked for. */
export const searchLimitMs = 25;
/** Numbers of clients that are tried in turn. */
export const searchSteps = [50, 100, 200, 300, 500, 750, 1_000, 1_250, 1_500, 2_000];

/** From this many clients on a configuration is repeated; below, the server is idle and runs hardly differ. */
const repeatedFromClientCount = 200;

/** Who is left out of the 600-chunk cassette from how many clients on: there they are saturated many times over. */
const leftOutFrom: [server: string, clientCount: number][] = [
  ["aimock", 500],
  ["tapedeck-route", 1_000],
];

function leftOut(cassette: CassetteName, clientCount: number): string[] {
  return cassette === "c600" ? leftOutFrom.filter(([, from]) => clientCount >= from).map(([server]) => server) : [];
}

/** New streams that start at once while others run. */
export const burst = {
  cassette: "c60",
  runningClientCount: 200,
  newClientCount: 500,
  /** When they start, and over how long, in milliseconds after the first of the running ones. */
  startAfterMs: 1_200,
  startWindowMs: 100,
  /** How long after their start the running streams' chunks count. */
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
