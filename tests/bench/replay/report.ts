import { cpus } from "node:os";
import type { BenchResults } from "./bench";
import type { RunSummary } from "./percentiles";
import { burst, searchLimitMs } from "./plan";
import { methodText } from "./report-method";
import { servers } from "./servers";
import { type Row, summarizeMeasurements } from "./summarize-measurements";

const barName = "bare";

/** Three significant digits at most, so that a table does not promise more than was measured. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "–";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}

function withRange({ median, min, max }: RunSummary, runCount: number): string {
  const middle = formatNumber(median);
  return runCount < 2 ? middle : `${middle} (${formatNumber(min)}–${formatNumber(max)})`;
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function sameConfiguration(a: Row, b: Row): boolean {
  return (
    a.scenario === b.scenario && a.cassette === b.cassette && a.clientCount === b.clientCount && a.start === b.start
  );
}

/** This row's median over the bare server's in the same configuration. */
function ratioToBar(row: Row, rows: Row[], pick: (row: Row) => RunSummary): number {
  const bar = rows.find((other) => other.server === barName && sameConfiguration(row, other));
  return bar === undefined || row.server === barName ? Number.NaN : pick(row).median / pick(bar).median;
}

function identicalCell({ server, identicalCount, streamCount, failureCount }: Row): string {
  const share = (100 * identicalCount) / streamCount;
  const text = `${share === 100 || share === 0 ? share : share.toFixed(1)} %`;
  return failureCount > 0 ? `${text}, ${failureCount} failed` : server === "aimock" ? `${text} (cut anew)` : text;
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
    withRange(row.cpuPerChunkMicroseconds, row.runCount),
    formatNumber(ratioToBar(row, rows, ({ cpuPerChunkMicroseconds }) => cpuPerChunkMicroseconds)),
    formatNumber(row.residentPeakMebibytes.median),
    identicalCell(row),
  ];
}

const rowHead = [
  ...["Server", "Clients", "p50 ms", "p99 ms", "max ms", "p99 ÷ bare", "Drift ms", "First chunk p99 ms"],
  ...["CPU µs a chunk", "CPU ÷ bare", "Memory MiB", "Bytes identical"],
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

function mostClientsSection({ mostClients }: BenchResults): string {
  if (mostClients.length === 0) return "";
  const rows = mostClients.map(({ server, inTime, tooMany, tooManyP99Ms }) => [
    server,
    inTime === 0 ? "fewer than 50" : inTime.toLocaleString("en"),
    tooMany === null ? "none tried" : `${tooMany.toLocaleString("en")} (p99 ${formatNumber(tooManyP99Ms)} ms)`,
  ]);
  const head = ["Server", `Most clients with p99 ≤ ${searchLimitMs} ms`, "First number that was too many"];
  return `## Most clients in time\n\nThe 60-chunk cassette, starts spread over one second; the search stops at the first failure.\n\n${table(head, rows)}\n`;
}

type Target = { text: string; met: boolean; measured: string };

/** The bars that Tapedeck sets itself, against what this run measured. */
function targets(rows: Row[], { mostClients }: BenchResults): Target[] {
  const own = rows.filter(({ server, scenario }) => server === "tapedeck" && scenario === "replay");
  if (own.length === 0) return [];
  const at200 = own.filter(({ clientCount, start }) => clientCount === 200 && start === "spread");
  const each = (pick: (row: Row) => number, limit: number, unit: string, text: string): Target => ({
    text,
    met: at200.every((row) => pick(row) <= limit),
    measured: at200.map((row) => `${row.cassette}: ${formatNumber(pick(row))}${unit}`).join(", "),
  });
  const streamCount = own.reduce((sum, row) => sum + row.streamCount, 0);
  const identicalCount = own.reduce((sum, row) => sum + row.identicalCount, 0);
  const most = mostClients.find(({ server }) => server === "tapedeck");
  return [
    {
      text: "bytes identical in every stream",
      met: streamCount === identicalCount,
      measured: `${identicalCount.toLocaleString("en")} of ${streamCount.toLocaleString("en")}`,
    },
    each((row) => row.driftMs.median, 2, " ms", "drift at the end ≤ 2 ms at 200 clients"),
    each((row) => ratioToBar(row, rows, ({ p99Ms }) => p99Ms), 2, " ×", "p99 ≤ 2 × bare at 200 clients"),
    each(
      (row) => ratioToBar(row, rows, ({ cpuPerChunkMicroseconds }) => cpuPerChunkMicroseconds),
      1.5,
      " ×",
      "CPU a chunk ≤ 1.5 × bare at 200 clients",
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

function targetsSection(rows: Row[], results: BenchResults): string {
  const lines = targets(rows, results).map(({ text, met, measured }) => [text, measured, met ? "yes" : "**no**"]);
  if (lines.length === 0) return "";
  return `## Targets of the self-hosted server\n\n${table(["Target", "Measured", "Met"], lines)}\n`;
}

function machineText({ startedAt, options, durationSeconds }: BenchResults): string {
  const cores = cpus();
  return (
    `Measured on ${startedAt.slice(0, 10)} on ${cores.length} cores (${cores[0]?.model ?? "unknown"}, ` +
    `${process.platform}), Node ${process.versions.node}, in ${Math.round(durationSeconds / 6) / 10} minutes; ` +
    `${options.runCount} run${options.runCount === 1 ? "" : "s"} of each configuration from 200 clients on, ` +
    "one below. A cell is the median of the runs, with the least and the greatest in brackets."
  );
}

/** The report as a page of the documentation; `chartPath` is where that page finds the chart. */
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
    "---\ntitle: Benchmarks\ndescription: How exactly and how cheaply Tapedeck replays, measured against a bare Node server and aimock.\n---\n",
    "How far each chunk arrives from its recorded time, what that costs, and how many clients one process serves.\n",
    `![The 99th percentile of the timing error against the number of clients, one line for each server](${chartPath})\n`,
    `${machineText(results)}\n`,
    `${[...listed, ...missing].join("\n")}\n`,
    targetsSection(rows, results),
    section("60 chunks, 5–80 ms apart, starts spread over one second", rows, of("replay", "c60", "spread")),
    section("600 chunks, 10 ms apart, starts spread over one second", rows, of("replay", "c600", "spread")),
    section("All clients in phase: 60 chunks", rows, of("replay", "c60", "in-phase")),
    section("All clients in phase: 600 chunks", rows, of("replay", "c600", "in-phase")),
    mostClientsSection(results),
    section(burstTitle, rows, of("burst")),
    methodText(highestLoad),
  ]
    .filter(Boolean)
    .join("\n");
}
