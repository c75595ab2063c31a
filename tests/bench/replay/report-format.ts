import type { RunSummary } from "./percentiles";
import type { Row } from "./summarize-measurements";

/** The server that the others are compared with. */
const barName = "bare";

/** Returns a number with at most three significant digits, so that tables do not suggest more precision than measured. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "–";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}

/** Returns the median, with minimum and maximum of several runs in brackets. */
export function withRange({ median, min, max }: RunSummary, runCount: number): string {
  const middle = formatNumber(median);
  return runCount < 2 ? middle : `${middle} (${formatNumber(min)}–${formatNumber(max)})`;
}

/** Returns a Markdown table. `alignsNumbers`: all columns after the first are aligned right. */
export function table(head: string[], rows: string[][], { alignsNumbers = false } = {}): string {
  const rule = head.map((_, index) => (alignsNumbers && index > 0 ? "---:" : "---"));
  const lines = [head, rule, ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function sameConfiguration(a: Row, b: Row): boolean {
  return (
    a.scenario === b.scenario && a.cassette === b.cassette && a.clientCount === b.clientCount && a.start === b.start
  );
}

/** Returns this row's median divided by the bare server's in the same configuration. */
export function ratioToBar(row: Row, rows: Row[], pick: (row: Row) => RunSummary): number {
  const bar = rows.find((other) => other.server === barName && sameConfiguration(row, other));
  return bar === undefined || row.server === barName ? Number.NaN : pick(row).median / pick(bar).median;
}
