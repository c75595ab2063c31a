import { renderChart, type Series } from "../chart";
import { count, format, type Goal, limit, median, type Outcome, spreadOf, type Table } from "../harness";
import type { Measurement, Scenario } from "./servers";

/** The maximum tried number of clients that a server serves in time, and the first number that it does not. */
export type MostClients = { server: string; inTime: number; tooMany: number | null; tooManyP99Ms: number };

/** Maximum error that counts as in time. */
export const lateMs = 25;
/** Numbers of clients whose rows the tables have. The results have all. */
const shownClientCounts = [200, 1_000, 2_000];
/** The server that the others are compared with. */
const bareName = "bare";

type Quantity = { [Key in keyof Measurement]: Measurement[Key] extends number ? Key : never }[keyof Measurement];

const keyOf = ({ kind, cassette, clientCount, start }: Scenario) => [kind, cassette, clientCount, start].join(" ");

/** All runs of one scenario against one server. */
class Row {
  constructor(
    readonly runs: Measurement[],
    private readonly rows: readonly Row[],
  ) {}

  get first(): Measurement {
    return this.runs[0]!;
  }

  values(quantity: Quantity): number[] {
    return this.runs.map((run) => run[quantity]);
  }

  median(quantity: Quantity): number {
    return median(this.values(quantity));
  }

  sum(quantity: Quantity): number {
    return this.values(quantity).reduce((total, value) => total + value, 0);
  }

  /** Returns the bare server's median in the same scenario; NaN for its own rows. */
  bare(quantity: Quantity): number {
    const isBare = (row: Row) => row.first.server === bareName && keyOf(row.first) === keyOf(this.first);
    return this.first.server === bareName ? Number.NaN : (this.rows.find(isBare)?.median(quantity) ?? Number.NaN);
  }

  ratio(quantity: Quantity): number {
    return this.median(quantity) / this.bare(quantity);
  }

  /** Returns the median with its ratio to that of the bare server. */
  compared(quantity: Quantity): string {
    const ratio = this.ratio(quantity);
    return format(this.median(quantity)) + (Number.isNaN(ratio) ? "" : ` (${format(ratio)} ×)`);
  }
}

type Load = Omit<Scenario, "clientCount"> & { name: string };
const loads: Load[] = [
  { name: "60 chunks", kind: "replay", cassette: "c60", start: "spread" },
  { name: "600 chunks", kind: "replay", cassette: "c600", start: "spread" },
  { name: "60 chunks in phase", kind: "replay", cassette: "c60", start: "in-phase" },
  { name: "600 chunks in phase", kind: "replay", cassette: "c600", start: "in-phase" },
  { name: "60 chunks, 500 more start", kind: "burst", cassette: "c60", start: "spread" },
];

/** Returns a table with a row for each load and a column for each server. */
function loadTable(under: string, rows: readonly Row[], cellOf: (row: Row) => string): Table {
  const servers = [...new Set(rows.map(({ first }) => first.server))];
  const cells = loads.flatMap((load) =>
    shownClientCounts.flatMap((clientCount) => {
      const own = rowsOf(rows, load).filter(({ first }) => first.clientCount === clientCount);
      const cellsOf = servers.map((server) => {
        const row = own.find(({ first }) => first.server === server);
        return row === undefined ? "–" : cellOf(row);
      });
      return own.length === 0 ? [] : [[`${load.name}, ${count(clientCount)}`, ...cellsOf]];
    }),
  );
  return { under, head: ["Load, clients", ...servers], rows: cells };
}

/** Returns the rows of a load, with the smallest number of clients first. */
function rowsOf(rows: readonly Row[], load: Load): Row[] {
  const own = rows.filter(({ first }) => keyOf(first) === keyOf({ ...load, clientCount: first.clientCount }));
  return own.sort((a, b) => a.first.clientCount - b.first.clientCount);
}

function mostClientsTable(mostClients: readonly MostClients[], rows: readonly Row[]): Table {
  const cells = mostClients.map(({ server, inTime, tooMany, tooManyP99Ms }) => {
    const own = rowsOf(rows, loads[0]!).filter(({ first }) => first.server === server);
    const late = own.findIndex((row) => row.median("fromRequestP99Ms") > lateMs);
    return [
      ...[server, inTime === 0 ? "fewer than 50" : count(inTime)],
      tooMany === null ? "none tried" : `${count(tooMany)} (p99 ${format(tooManyP99Ms)} ms)`,
      count((late < 0 ? own : own.slice(0, late)).at(-1)?.first.clientCount ?? 0),
    ];
  });
  const most = `Maximum clients with p99 ≤ ${lateMs} ms`;
  const head = ["Server", most, "First number over the limit", "Maximum counted from the request"];
  return { under: "Maximum number of clients on time", head, rows: cells };
}

function goalsOf(rows: readonly Row[], mostClients: readonly MostClients[]): Goal[] {
  const of = (server: string, from: number, to: number) =>
    rows.filter(({ first }) => {
      return first.server === server && first.kind === "replay" && first.clientCount >= from && first.clientCount <= to;
    });
  const most = (some: Row[], pick: (row: Row) => number) => ({
    "at most": spreadOf(some.map(pick).filter((value) => !Number.isNaN(value))).maxMs,
  });
  const sum = (quantity: Quantity) => of("tapedeck", 1, 2_000).reduce((total, row) => total + row.sum(quantity), 0);
  const changed = { [`changed of ${count(sum("streamCount"))}`]: sum("streamCount") - sum("identicalCount") };
  const drifts = most(of("tapedeck", 200, 200), (row) => row.median("driftMs"));
  // A millisecond more counts as no more than the machine's own noise.
  const lateness = (row: Row) => (row.median("p99Ms") - row.bare("p99Ms") <= 1 ? 1 : row.ratio("p99Ms"));
  const cost = (row: Row) => row.ratio("cpuPerChunkMicroseconds");
  const loaded = of("tapedeck", 200, 2_000);
  const route = most(of("tapedeck-route", 200, 200), cost);
  const inTime = { "": mostClients.find(({ server }) => server === "tapedeck")?.inTime ?? Number.NaN };
  const times = (atMost: number) => ({ atMost, unit: " ×" });
  return [
    ...limit("bytes identical in every stream", changed, { atMost: 0 }),
    ...limit("drift at the end ≤ 2 ms at 200 clients", drifts, { atMost: 2, unit: " ms" }),
    ...limit("p99 ≤ 1.3 × bare or + 1 ms at 200 to 2,000 clients", most(loaded, lateness), times(1.3)),
    ...limit("CPU per chunk ≤ 1.05 × bare at 200 to 2,000 clients", most(loaded, cost), times(1.05)),
    ...limit("route handler: CPU per chunk ≤ 1.8 × bare at 200 clients", route, times(1.8)),
    ...limit(`at least 1,000 clients with p99 ≤ ${lateMs} ms`, inTime, { atLeast: 1_000 }),
  ];
}

const looks: Record<string, Pick<Series, "colour" | "marker" | "dash">> = {
  bare: { colour: "ink", dash: "6 4", marker: "square" },
  tapedeck: { colour: "red", marker: "circle" },
  "tapedeck-route": { colour: "green", marker: "triangle" },
  aimock: { colour: "violet", marker: "diamond" },
};

/** Draws the 99th percentile of the error over the number of clients: 60 chunks, starts spread over one second. */
function chartOf(rows: readonly Row[]): string {
  const shown = rowsOf(rows, loads[0]!);
  const series = [...new Set(shown.map(({ first }) => first.server))].map((name): Series => {
    const own = shown.filter(({ first }) => first.server === name);
    const points = own.map((row) => ({ x: row.first.clientCount, y: row.median("p99Ms") }));
    return { colour: "ink", ...looks[name], name, line: true, points };
  });
  const ends = series.map(
    ({ name, points }) => `${name}: ${points.at(-1)?.y.toFixed(1)} ms at ${points.at(-1)?.x} clients`,
  );
  return renderChart({
    title: "Timing error against the number of clients",
    description: `99th percentile of each chunk's distance from its recorded time, in milliseconds, on logarithmic scales. ${ends.join("; ")}.`,
    heading: "Timing error, 99th percentile, ms",
    subtitle: "60 chunks, 5–80 ms apart",
    x: {
      label: "concurrent clients",
      ticks: [1, 10, 50, 200, 500, 1_000, 2_000],
      from: 1,
      to: 2_000,
      isLogarithmic: true,
    },
    y: { ticks: [0.1, 1, 10, 100, 1_000], from: 0.1, to: 1_000, isLogarithmic: true },
    series,
    rules: [{ at: lateMs, axis: "y", label: `${lateMs} ms` }],
  });
}

export function report(measurements: readonly Measurement[], mostClients: readonly MostClients[]): Outcome {
  const rows: Row[] = [];
  for (const measurement of measurements) {
    const isOwn = ({ first }: Row) => first.server === measurement.server && keyOf(first) === keyOf(measurement);
    const known = rows.find(isOwn);
    if (known) known.runs.push(measurement);
    else rows.push(new Row([measurement], rows));
  }
  const timing = (row: Row) => {
    const failureCount = row.sum("failureCount");
    return row.compared("p99Ms") + (failureCount > 0 ? `, ${failureCount} failed` : "");
  };
  const tables = [
    loadTable("Timing error, p99 in ms", rows, timing),
    loadTable("CPU per chunk, µs", rows, (row) => row.compared("cpuPerChunkMicroseconds")),
  ];
  if (mostClients.length > 0) tables.push(mostClientsTable(mostClients, rows));
  const memory = [...new Set(rows.map(({ first }) => first.server))].map((server) => {
    const peaks = measurements.filter((each) => each.server === server).map((each) => each.residentPeakMebibytes);
    return `${server} ${format(Math.max(...peaks))}`;
  });
  const highestShare = Math.max(...measurements.map(({ loadCpuShare }) => loadCpuShare));
  return {
    tables,
    goals: goalsOf(rows, mostClients),
    notes: [
      `A cell is the median of ${Math.max(...rows.map((row) => row.runs.length))} runs, with its ratio to that of the bare server.`,
      `Memory at most, in MiB: ${memory.join(", ")}.`,
      `The load generator used at most ${Math.round(highestShare * 100)} % of a core.`,
    ],
    results: { measurements, mostClients },
    chart: chartOf(rows),
  };
}
