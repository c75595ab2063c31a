import { quantileOfSorted } from "../replay/percentiles";
import { formatNumber, table } from "../replay/report-format";
import { type Counts, type Sample, sampleIntervalMs } from "./load";
import type { TrackingResult } from "./tracking";

/** A process that was killed, and when a request that needs it succeeded again. Times since the start of the load. */
export type Kill = { name: string; atMs: number; backMs: number };

export type SoakResults = {
  at: string;
  machine: string;
  durationMs: number;
  kills: Kill[];
  samples: Sample[];
  counts: Record<string, Counts>;
  tracking: TrackingResult;
  /** Resident memory of the launcher and its children, without the database, in MiB: a minute after the start and at the end. */
  memory: { startMebibytes: number; endMebibytes: number };
};

/** Time after a kill that is reported on its own, in milliseconds. */
const killPhaseMs = 30_000;
/** Time in which a slow request is explained by the start of all clients, in milliseconds. */
const startMs = 5_000;

const count = (value: number) => value.toLocaleString("en");
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

type Phase = { name: string; fromMs: number; toMs: number };

function phasesOf({ kills, durationMs }: SoakResults): Phase[] {
  const phases: Phase[] = [];
  let fromMs = 0;
  for (const { name, atMs } of kills) {
    phases.push({ name: `until the ${name} is killed`, fromMs, toMs: atMs });
    phases.push({
      name: `${killPhaseMs / 1_000} s after the ${name} is killed`,
      fromMs: atMs,
      toMs: atMs + killPhaseMs,
    });
    fromMs = atMs + killPhaseMs;
  }
  return [...phases, { name: "until the end", fromMs, toMs: durationMs }];
}

function phaseRow(samples: readonly Sample[], { name, fromMs, toMs }: Phase): string[] {
  const within = samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const times = within.filter(({ status }) => status === 200).map(({ ms }) => ms);
  times.sort((a, b) => a - b);
  const quantiles = [0.5, 0.99, 1].map((quantile) => formatNumber(quantileOfSorted(times, quantile)));
  const unavailable = within.filter(({ status }) => status === 503).length;
  const unanswered = within.filter(({ status }) => status === null).length;
  const other = within.length - times.length - unavailable - unanswered;
  return [name, count(within.length), ...quantiles, ...[unavailable, unanswered, other].map(count)];
}

function lossTable({ tracking }: SoakResults): string {
  const { versions, missingVersions, reports, missingReports, deliveries, missingDeliveries, repeatedDeliveries } =
    tracking;
  return table(
    ["What", "Expected", "Missing", "Repeated"],
    [
      ["versions stored", count(versions), count(missingVersions), "–"],
      ["reports written", count(reports), count(missingReports), "–"],
      ["webhooks received", count(deliveries), count(missingDeliveries), count(repeatedDeliveries)],
    ],
    { alignsNumbers: true },
  );
}

/** Says how far the measured client was from its interval, which explains the number of requests. */
function intervalText({ samples, durationMs }: SoakResults): string {
  const times = samples.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const lateMs = times.slice(1).map((atMs, index) => atMs - (times[index] as number) - sampleIntervalMs);
  const meanMs = lateMs.reduce((sum, ms) => sum + ms, 0) / lateMs.length;
  const expected = count(durationMs / sampleIntervalMs);
  return `Its timer was late by ${formatNumber(meanMs)} ms on average and by ${formatNumber(Math.max(...lateMs))} ms at most, so there are ${count(samples.length)} requests instead of ${expected}.`;
}

/** Explains the slowest request before the first kill, if it was sent at the start of the load. */
function startText({ samples, kills: [first] }: SoakResults): string {
  const before = samples.filter(({ atMs }) => first !== undefined && atMs < first.atMs);
  const slowest = before.sort((a, b) => b.ms - a.ms)[0];
  if (slowest === undefined || slowest.atMs > startMs) return "";
  return `The slowest request before the first kill, ${formatNumber(slowest.ms)} ms, was sent ${seconds(slowest.atMs)} after the start of the load, when all clients start at once on a server that has served almost nothing yet.\n\n`;
}

/** Returns the report as a docs page. `chart` is the URL of the chart. */
export function renderReport(results: SoakResults, chart: string): string {
  const { at, machine, durationMs, kills, samples, counts, memory } = results;
  const head = ["Phase", "Requests", "p50 ms", "p99 ms", "max ms", "503", "No answer", "Other"];
  const clients = Object.entries(counts).map(([kind, { ok, unavailable, cut, wrong }]) => [
    kind,
    ...[ok, unavailable, cut, wrong].map(count),
  ]);
  const recoveries = kills.map(({ name, atMs, backMs }) => `${seconds(backMs - atMs)} after the kill of the ${name}`);
  return `---
title: Benchmark under faults
description: Ten minutes of mixed load, in which the database and the server are killed - what other clients notice, and what is lost.
section: Operations
order: 40
---

One server, started by \`npm run up\`, serves replays, pages, the API and MCP sessions to 50 clients while it fetches vendors
that change all the time, writes reports and sends webhooks. A third of the time in, its database gets SIGKILL; after two
thirds, the server. One more client is measured here. It sends a request every ${sampleIntervalMs} ms, whether or not the earlier ones
have been answered. ${intervalText(results)}

![The time of each request of the measured client, with the two kills](${chart})

Measured on ${at.slice(0, 10)} on ${machine}, in ${(durationMs / 60_000).toFixed(0)} minutes. A request counts in the phase in which it was sent; the times are
those of served requests.

${table(
  head,
  phasesOf(results).map((phase) => phaseRow(samples, phase)),
  { alignsNumbers: true },
)}

${startText(results)}Recovery: the health check reported a connected database again ${recoveries.join(", and ")}.

Resident memory of the launcher and the server, without the database: ${formatNumber(memory.startMebibytes)} MiB after a minute, ${formatNumber(memory.endMebibytes)} MiB at the end. The
second value is that of another server process, because the first one was killed, so the two do not show growth.

## What was lost

A vendor publishes its next version once the last one is stored, so each missing version would have been lost. A report
describes a change, so a vendor's first version has none. Webhooks are delivered at least once: an event is repeated if it
was sent, and a kill came before that was recorded.

${lossTable(results)}

## The other clients

"Cut" are connections that ended early, because the server was killed. A replay is "wrong" if one byte differs.

${table(["Clients", "Served", "503", "Cut", "Wrong"], clients, { alignsNumbers: true })}

\`\`\`sh
npm run bench -- soak
\`\`\`
`;
}

const [width, height] = [720, 320];
const frame = { left: 72, right: 24, top: 64, bottom: 56 };
const [lowestMs, highestMs] = [1, 30_000];

const style = `
  .paper { fill: #FAF8F4 } .grid { stroke: #E4DFD3 } .kill { stroke: #6B665A; stroke-dasharray: 4 3 }
  text { fill: #6B665A; font: 17px "Instrument Sans", system-ui, sans-serif; font-variant-numeric: tabular-nums }
  .heading { fill: #17150F; font-size: 19px; font-weight: 600 } .served { fill: #1F7A6D }
  .failed { fill: #C8401C; stroke: #FAF8F4 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12110E } .grid { stroke: #2E2A23 } text { fill: #A39C8C } .heading { fill: #F1EDE3 }
    .kill { stroke: #A39C8C } .served { fill: #5CC2B2 } .failed { fill: #FF7A50; stroke: #12110E }
  }
`;

/** Draws the slowest request of each second, served ones apart from failed ones, on a logarithmic scale. */
export function renderChart({ samples, kills, durationMs }: SoakResults): string {
  const right = width - frame.right;
  const bottom = height - frame.bottom;
  const xOf = (ms: number) => Math.round(frame.left + (ms / durationMs) * (right - frame.left));
  const yOf = (ms: number) => {
    const share = Math.log(Math.min(Math.max(ms, lowestMs), highestMs) / lowestMs) / Math.log(highestMs / lowestMs);
    return Math.round(bottom - share * (bottom - frame.top));
  };
  const slowest = new Map<string, Sample>();
  for (const sample of samples) {
    const id = `${Math.floor(sample.atMs / 1_000)} ${sample.status === 200}`;
    if (sample.ms > (slowest.get(id)?.ms ?? -1)) slowest.set(id, sample);
  }
  const dots = [...slowest.values()].map(({ atMs, ms, status }) =>
    status === 200
      ? `<circle class="served" cx="${xOf(atMs)}" cy="${yOf(ms)}" r="1.5"/>`
      : `<path class="failed" d="M${xOf(atMs)} ${yOf(ms) - 6}l6 11h-12z"/>`,
  );
  const horizontal = [1, 10, 100, 1_000, 10_000].map(
    (tick) =>
      `<line class="grid" x1="${frame.left}" x2="${right}" y1="${yOf(tick)}" y2="${yOf(tick)}"/><text x="${frame.left - 8}" y="${yOf(tick) + 6}" text-anchor="end">${tick.toLocaleString("en")}</text>`,
  );
  const minutes = Array.from({ length: Math.floor(durationMs / 60_000) + 1 }, (_, minute) => minute);
  const vertical = minutes.map(
    (minute) => `<text x="${xOf(minute * 60_000)}" y="${bottom + 22}" text-anchor="middle">${minute}</text>`,
  );
  const marks = kills.map(
    ({ name, atMs }) =>
      `<line class="kill" x1="${xOf(atMs)}" x2="${xOf(atMs)}" y1="${frame.top}" y2="${bottom}"/><text x="${xOf(atMs) + 6}" y="${frame.top + 14}">${name} killed</text>`,
  );
  const failed = samples.filter(({ status }) => status !== 200).length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">Time of requests under load and faults</title>
<desc id="description">The slowest request of each second, in milliseconds on a logarithmic scale, over ${minutes.length - 1} minutes. ${kills.map(({ name }) => `The ${name} is killed once`).join("; ")}. ${failed} of ${samples.length} requests failed, around the kills.</desc>
<style>${style}</style>
<rect class="paper" width="${width}" height="${height}"/>
<text class="heading" x="${frame.left}" y="24">Slowest request of each second, ms</text>
<text x="${frame.left}" y="47">circles: served; triangles: 503 or no answer; dashed lines: kills</text>
${[...horizontal, ...vertical, ...marks, ...dots].join("\n")}
<text x="${(frame.left + right) / 2}" y="${height - 8}" text-anchor="middle">minutes</text>
</svg>
`;
}
