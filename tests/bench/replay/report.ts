import { cpus } from "node:os";
import type { BenchResults } from "./bench";
import { burst, searchLimitMs } from "./plan";
import { formatNumber, ratioToBar, table, withRange } from "./report-format";
import { servers } from "./servers";
import { type Row, summarizeMeasurements } from "./summarize-measurements";

function identicalCell({ server, identicalCount, streamCount, failureCount }: Row): string {
  const share = (100 * identicalCount) / streamCount;
  const text = `${share === 100 || share === 0 ? share : share.toFixed(1)} %`;
  return failureCount > 0
    ? `${text}, ${failureCount} failed`
    : server === "aimock"
      ? `${text} (split differently)`
      : text;
}

function rowCells(row: Row, rows: Row[]): string[] {
  return [
    row.server,
    `${row.clientCount}`,
    formatNumber(row.p50Ms.median),
    withRange(row.p99Ms, row.runCount),
    formatNumber(row.maxMs.median),
    formatNumber(ratioToBar(row, rows, ({ p99Ms }) => p99Ms)),
    formatNumber(row.driftMs.median),
    formatNumber(row.firstChunkP99Ms.median),
    formatNumber(row.fromRequestP99Ms.median),
    withRange(row.cpuPerChunkMicroseconds, row.runCount),
    formatNumber(ratioToBar(row, rows, ({ cpuPerChunkMicroseconds }) => cpuPerChunkMicroseconds)),
    formatNumber(row.residentPeakMebibytes.median),
    identicalCell(row),
  ];
}

const rowHead = [
  ...["Server", "Clients", "p50 ms", "p99 ms", "max ms", "p99 ÷ bare", "Drift ms", "First chunk p99 ms"],
  "p99 from request ms",
  ...["CPU µs per chunk", "CPU ÷ bare", "Memory MiB", "Bytes identical"],
];

function section(title: string, rows: Row[], chosen: Row[]): string {
  if (chosen.length === 0) return "";
  const ordered = [...chosen].sort((a, b) => a.clientCount - b.clientCount);
  const body = table(
    rowHead,
    ordered.map((row) => rowCells(row, rows)),
  );
  return `## ${title}\n\n${body}\n`;
}

/** Returns the maximum measured number of clients whose error from the request is within the limit too. */
function mostFromRequest(server: string, rows: Row[]): number {
  const own = rows
    .filter((row) => row.server === server && row.scenario === "replay")
    .filter(({ cassette, start }) => cassette === "c60" && start === "spread")
    .sort((a, b) => a.clientCount - b.clientCount);
  const late = own.findIndex(({ fromRequestP99Ms }) => fromRequestP99Ms.median > searchLimitMs);
  return (late < 0 ? own : own.slice(0, late)).at(-1)?.clientCount ?? 0;
}

function mostClientsSection({ mostClients }: BenchResults, rows: Row[]): string {
  if (mostClients.length === 0) return "";
  const lines = mostClients.map(({ server, inTime, tooMany, tooManyP99Ms }) => [
    server,
    inTime === 0 ? "fewer than 50" : inTime.toLocaleString("en"),
    tooMany === null ? "none tried" : `${tooMany.toLocaleString("en")} (p99 ${formatNumber(tooManyP99Ms)} ms)`,
    mostFromRequest(server, rows).toLocaleString("en"),
  ]);
  const most = `Maximum clients with p99 ≤ ${searchLimitMs} ms`;
  const head = ["Server", most, "First number over the limit", "Maximum counted from the request"];
  return (
    "## Maximum number of clients on time\n\n" +
    "With the 60-chunk cassette and starts spread over one second. The search stops at the first failure.\n\n" +
    `${table(head, lines)}\n`
  );
}

function machineText({ startedAt, options, durationSeconds }: BenchResults): string {
  const cores = cpus();
  return (
    `Measured on ${startedAt.slice(0, 10)} on ${cores.length} cores (${cores[0]?.model ?? "unknown"}, ` +
    `${process.platform}), Node ${process.versions.node}, in ${Math.round(durationSeconds / 6) / 10} minutes; ` +
    `${options.runCount} run${options.runCount === 1 ? "" : "s"} per configuration from 200 clients on, ` +
    "one below. A cell is the median of the runs, with minimum and maximum in brackets."
  );
}

function nameOf({ cassette, start }: Row): string {
  return `${cassette}${start === "in-phase" ? " in phase" : ""}:`;
}

type Target = { text: string; met: boolean; measured: string };

/** Compares Tapedeck's targets with the measurements of this run. */
function targets(rows: Row[], { mostClients }: BenchResults): Target[] {
  const own = rows.filter(({ server, scenario }) => server === "tapedeck" && scenario === "replay");
  if (own.length === 0) return [];
  const at200 = own.filter(({ clientCount }) => clientCount === 200);
  const each = (pick: (row: Row) => number, limit: number, unit: string, text: string): Target[] => {
    const known = at200.filter((row) => !Number.isNaN(pick(row)));
    if (known.length === 0) return [];
    const measured = known.map((row) => `${nameOf(row)} ${formatNumber(pick(row))}${unit}`).join(", ");
    return [{ text, met: known.every((row) => pick(row) <= limit), measured }];
  };
  const streamCount = own.reduce((sum, row) => sum + row.streamCount, 0);
  const identicalCount = own.reduce((sum, row) => sum + row.identicalCount, 0);
  const most = mostClients.find(({ server }) => server === "tapedeck");
  return [
    {
      text: "bytes identical in every stream",
      met: streamCount === identicalCount,
      measured: `${identicalCount.toLocaleString("en")} of ${streamCount.toLocaleString("en")}`,
    },
    ...each((row) => row.driftMs.median, 2, " ms", "drift at the end ≤ 2 ms at 200 clients"),
    ...each((row) => ratioToBar(row, rows, ({ p99Ms }) => p99Ms), 2, " ×", "p99 ≤ 2 × bare at 200 clients"),
    ...each(
      (row) => ratioToBar(row, rows, ({ cpuPerChunkMicroseconds }) => cpuPerChunkMicroseconds),
      1.5,
      " ×",
      "CPU per chunk ≤ 1.5 × bare at 200 clients",
    ),
    ...(most === undefined
      ? []
      : [
          {
            text: `at least 1,000 clients with p99 ≤ ${searchLimitMs} ms`,
            met: most.inTime >= 1_000,
            measured: most.inTime.toLocaleString("en"),
          },
        ]),
  ];
}

/** Returns whether the self-hosted server meets its targets; empty if it was not measured. */
function targetsSection(rows: Row[], results: BenchResults): string {
  const lines = targets(rows, results).map(({ text, met, measured }) => [text, measured, met ? "yes" : "**no**"]);
  if (lines.length === 0) return "";
  return `## Targets of the self-hosted server\n\n${table(["Target", "Measured", "Met"], lines)}\n`;
}

/** Returns the section about the method, and how to repeat the benchmark. */
function methodText(highestLoadShare: number): string {
  return `## Method

- **Error.** The client records when the last byte of each recorded chunk arrived. Its schedule starts at its own first
  chunk: chunk *n* is due at the arrival of the first chunk plus the sum of the recorded delays since. The error is the
  difference from that time, early or late, so accumulated delays are visible. Chunks that arrive together count at the
  moment of their arrival.
- **First chunk** is the delay of the first chunk compared with the recording, counted from the request: the connection and
  the start of the stream. A server that starts streams late but paces them well has a small error and a late first chunk.
  **From request** is the error on a schedule that starts with the request, so it includes both.
- **Drift** is the difference of the last chunk from the schedule, as the median over the streams.
- **CPU** is the server's user and system time with all threads and child processes, from the first connection to the end of
  the last stream, divided by the number of chunks that arrived; it includes the start of the streams. At one and at 50
  clients a server mostly wakes up and sleeps again, and each wake-up counts fully.
- **Memory** is the peak resident memory during the run, of a process that has served all runs before.
- **Identical** means that the SHA-256 of the body, without its HTTP framing, equals the recording's.
- **In phase**: all connections are opened first, then all clients send their request at the same moment, so all chunks are
  due at the same time.
- **Burst**: ${burst.runningClientCount} streams run; the table shows their error in the second in which ${burst.newClientCount} others start.
- **aimock** keeps the text and the delays but writes its own events. Its fixture has the exact delays and a piece size that
  produces as many events as the recording has; each event counts as the chunk with the same number.
- If a server is missing from the last rows of a table, it was already far over its capacity at a smaller number.
- All servers run on the same machine as the single load generator, each in its own process, on 127.0.0.1. They are warmed up
  together and then measured one at a time, in turn. The load generator used at most ${Math.round(highestLoadShare * 100)} % of a core; on two cores the
  server has the other one.

## Run it again

\`\`\`sh
npm run build
npm run bench -- replay
\`\`\`

\`--quick\` takes a minute, \`--servers bare,tapedeck\` selects servers, \`--help\` lists all options. The raw numbers are in
\`.tapedeck/bench/replay.json\`.
`;
}

/** Returns the report as a documentation page; `chartPath` is the chart's path from that page. */
export function renderReport(results: BenchResults, chartPath: string): string {
  const rows = summarizeMeasurements(results.measurements);
  const of = (scenario: Row["scenario"], cassette?: Row["cassette"], start?: Row["start"]) =>
    rows.filter(
      (row) =>
        row.scenario === scenario &&
        (cassette === undefined || row.cassette === cassette) &&
        (start === undefined || row.start === start),
    );
  const listed = servers
    .filter(({ name }) => rows.some(({ server }) => server === name))
    .map(({ name, description }) => `- **${name}**: ${description}.`);
  const missing = results.missing.map((line) => `- Left out: ${line}.`);
  const burstTitle = `${burst.newClientCount} new streams within ${burst.startWindowMs} ms while ${burst.runningClientCount} run`;
  const highestLoad = Math.max(...rows.map(({ loadCpuShare }) => loadCpuShare.max));
  return [
    "---\ntitle: Benchmarks\ndescription: Latency, throughput and CPU cost of replay, compared with a bare Node.js server and aimock.\n---\n",
    "This page shows the latency and throughput of replay: how far chunks arrive from their recorded time, what a replay costs, and how many clients one process can serve.\n",
    `![The 99th percentile of the timing error by number of clients, one line per server](${chartPath})\n`,
    `${machineText(results)}\n`,
    `${[...listed, ...missing].join("\n")}\n`,
    targetsSection(rows, results),
    section("60 chunks, 5–80 ms apart, starts spread over one second", rows, of("replay", "c60", "spread")),
    section("600 chunks, 10 ms apart, starts spread over one second", rows, of("replay", "c600", "spread")),
    section("All clients in phase: 60 chunks", rows, of("replay", "c60", "in-phase")),
    section("All clients in phase: 600 chunks", rows, of("replay", "c600", "in-phase")),
    mostClientsSection(results, rows),
    section(burstTitle, rows, of("burst")),
    methodText(highestLoad),
  ]
    .filter(Boolean)
    .join("\n");
}
