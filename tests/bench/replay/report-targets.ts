import type { BenchResults } from "./bench";
import { searchLimitMs } from "./plan";
import { formatNumber, ratioToBar, table } from "./report-format";
import type { Row } from "./summarize-measurements";

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
export function targetsSection(rows: Row[], results: BenchResults): string {
  const lines = targets(rows, results).map(({ text, met, measured }) => [text, measured, met ? "yes" : "**no**"]);
  if (lines.length === 0) return "";
  return `## Targets of the self-hosted server\n\n${table(["Target", "Measured", "Met"], lines)}\n`;
}
