import { searchLimitMs } from "./plan";
import type { Row } from "./summarize-measurements";

/** Style of one line. Lines differ in dash and marker as well as in colour. */
type Look = { className: string; dash: string; marker: (x: number, y: number) => string };

const width = 720;
const height = 420;
const frame = { left: 64, right: 140, top: 56, bottom: 56 };
const clientRange = { from: 1, to: 2_000 };
const clientTicks = [1, 10, 50, 200, 500, 1_000, 2_000];
const highestErrorMs = 1_000;
/** Minimum distance between the names at the ends of lines, in pixels. */
const labelGap = 16;

const disc = (x: number, y: number) => `<circle cx="${x}" cy="${y}" r="4"/>`;
const square = (x: number, y: number) => `<rect x="${x - 4}" y="${y - 4}" width="8" height="8"/>`;
const triangle = (x: number, y: number) => `<path d="M${x} ${y - 5}l5 9h-10z"/>`;
const diamond = (x: number, y: number) => `<path d="M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5-5.5z"/>`;

const looks: Record<string, Look> = {
  bare: { className: "bare", dash: "6 4", marker: square },
  "bare-raw": { className: "bare", dash: "2 4", marker: square },
  tapedeck: { className: "tapedeck", dash: "", marker: disc },
  "tapedeck-route": { className: "route", dash: "", marker: triangle },
  aimock: { className: "aimock", dash: "", marker: diamond },
};

/** Style of the charts, in light and dark. */
export const chartStyle = `
  .paper { fill: #FAF8F4 } .grid { stroke: #E4DFD3 } .limit { stroke: #6B665A; stroke-dasharray: 2 3 }
  text { fill: #6B665A; font: 13px "Instrument Sans", system-ui, sans-serif; font-variant-numeric: tabular-nums }
  .heading { fill: #17150F; font-size: 15px; font-weight: 600 }
  .line { fill: none; stroke-width: 2 }
  .bare { stroke: #17150F; color: #17150F } .tapedeck { stroke: #C8401C; color: #C8401C }
  .route { stroke: #1F7A6D; color: #1F7A6D } .aimock { stroke: #6F5EA6; color: #6F5EA6 }
  .marks { fill: currentColor; stroke: none } .name { fill: currentColor; stroke: none }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12110E } .grid { stroke: #2E2A23 } .limit { stroke: #A39C8C } text { fill: #A39C8C }
    .heading { fill: #F1EDE3 }
    .bare { stroke: #F1EDE3; color: #F1EDE3 } .tapedeck { stroke: #FF7A50; color: #FF7A50 }
    .route { stroke: #5CC2B2; color: #5CC2B2 } .aimock { stroke: #B4A7E0; color: #B4A7E0 }
    .name { fill: currentColor }
  }
`;

function scale(value: number, from: number, to: number, start: number, end: number): number {
  const share = (Math.log10(value) - Math.log10(from)) / (Math.log10(to) - Math.log10(from));
  return Math.round((start + share * (end - start)) * 10) / 10;
}

function xOf(clientCount: number): number {
  return scale(clientCount, clientRange.from, clientRange.to, frame.left, width - frame.right);
}

/** The vertical scale: from one millisecond, or the smallest value if lower, to one second, where larger values are drawn. */
type ErrorAxis = { ticks: number[]; yOf: (errorMs: number) => number };

function errorAxis(rows: readonly Row[]): ErrorAxis {
  const ticks = rows.some(({ p99Ms }) => p99Ms.median < 1) ? [0.1, 1, 10, 100, 1_000] : [1, 10, 100, 1_000];
  const lowest = ticks[0]!;
  const yOf = (errorMs: number) => {
    const within = Math.min(Math.max(errorMs, lowest), highestErrorMs);
    return scale(within, lowest, highestErrorMs, height - frame.bottom, frame.top);
  };
  return { ticks, yOf };
}

function axes({ ticks, yOf }: ErrorAxis): string {
  const right = width - frame.right;
  const bottom = height - frame.bottom;
  const horizontal = ticks.map((tick) => {
    const y = yOf(tick);
    return `<line class="grid" x1="${frame.left}" x2="${right}" y1="${y}" y2="${y}"/><text x="${frame.left - 8}" y="${y + 4}" text-anchor="end">${tick.toLocaleString("en")}</text>`;
  });
  const vertical = clientTicks.map((tick) => {
    const x = xOf(tick);
    return `<line class="grid" x1="${x}" x2="${x}" y1="${frame.top}" y2="${bottom}"/><text x="${x}" y="${bottom + 20}" text-anchor="middle">${tick.toLocaleString("en")}</text>`;
  });
  const limitY = yOf(searchLimitMs);
  return [
    ...horizontal,
    ...vertical,
    `<line class="limit" x1="${frame.left}" x2="${right}" y1="${limitY}" y2="${limitY}"/>`,
    `<text x="${frame.left + 6}" y="${limitY - 6}">${searchLimitMs} ms</text>`,
    `<text x="${(frame.left + right) / 2}" y="${height - 14}" text-anchor="middle">concurrent clients</text>`,
  ].join("\n");
}

type Line = { server: string; points: { x: number; y: number }[]; labelY: number };

/** Draws the names in a column beside the frame, each at its line's end or moved down to keep the distance. */
function placeLabels(lines: Line[]): Line[] {
  const ordered = [...lines].sort((a, b) => a.labelY - b.labelY);
  for (let index = 1; index < ordered.length; index++) {
    ordered[index]!.labelY = Math.max(ordered[index]!.labelY, ordered[index - 1]!.labelY + labelGap);
  }
  return ordered;
}

function toLine(server: string, rows: Row[], { yOf }: ErrorAxis): Line {
  const ordered = rows.filter((row) => row.server === server).sort((a, b) => a.clientCount - b.clientCount);
  const points = ordered.map(({ clientCount, p99Ms }) => ({ x: xOf(clientCount), y: yOf(p99Ms.median) }));
  return { server, points, labelY: points.at(-1)!.y };
}

function drawLine({ server, points, labelY }: Line): string {
  const { className, dash, marker } = looks[server]!;
  const path = points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
  const marks = points.map(({ x, y }) => marker(x, y)).join("");
  const labelX = width - frame.right + 18;
  const label = `<g class="marks">${marker(labelX, labelY)}</g><text class="name" x="${labelX + 12}" y="${labelY + 4}">${server}</text>`;
  return `<g class="${className}"><path class="line" stroke-dasharray="${dash}" d="${path}"/><g class="marks">${marks}</g>${label}</g>`;
}

/** Draws the 99th percentile of the error over the number of clients: 60 chunks, starts spread over one second. */
export function renderChart(rows: readonly Row[]): string {
  const shown = rows.filter(
    ({ scenario, cassette, start }) => scenario === "replay" && cassette === "c60" && start === "spread",
  );
  const names = [...new Set(shown.map(({ server }) => server))];
  const axis = errorAxis(shown);
  const lines = placeLabels(names.map((name) => toLine(name, shown, axis)));
  const largest = (server: string) =>
    shown.filter((row) => row.server === server).reduce((a, b) => (b.clientCount > a.clientCount ? b : a));
  const labels = names.map((name) => {
    const { clientCount, p99Ms } = largest(name);
    return `${name}: ${p99Ms.median.toFixed(1)} ms at ${clientCount} clients`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">Timing error against the number of clients</title>
<desc id="description">99th percentile of each chunk's distance from its recorded time, in milliseconds, on logarithmic scales. ${labels.join("; ")}.</desc>
<style>${chartStyle}</style>
<rect class="paper" width="${width}" height="${height}"/>
<text class="heading" x="${frame.left}" y="24">Timing error, 99th percentile, ms</text>
<text x="${frame.left}" y="43">60 chunks, 5–80 ms apart</text>
${axes(axis)}
${lines.map(drawLine).join("\n")}
</svg>
`;
}
