import { cpus } from "node:os";
import type { BenchResults } from "./bench";
import { burst, searchLimitMs } from "./plan";
import { formatNumber, ratioToBar, table, withRange } from "./report-format";
import { methodText } from "./report-method";
import { targetsSection } from "./report-targets";
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
    "---\ntitle: Benchmarks\ndescription: Timing accuracy and CPU cost of replay, compared with a bare Node.js server and aimock.\n---\n",
    "This page shows how far chunks arrive from their recorded time, what a replay costs, and how many clients one process can serve.\n",
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
