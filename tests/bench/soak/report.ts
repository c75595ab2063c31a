import { renderChart } from "../chart";
import { count, format, limit, type Outcome, quantileOfSorted, type Table } from "../harness";
import { type Counts, type Sample, sampleIntervalMs } from "./load";
import type { TrackingResult } from "./tracking";

/** A process that was killed, and when a request that needs it succeeded again. Times since the start of the load. */
export type Kill = { name: string; atMs: number; backMs: number };

export type SoakResults = {
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
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

type Phase = { name: string; fromMs: number; toMs: number };

function phasesOf({ kills, durationMs }: SoakResults): Phase[] {
  let fromMs = 0;
  const phases = kills.flatMap(({ name, atMs }): Phase[] => {
    const before = { name: `until the ${name} is killed`, fromMs, toMs: atMs };
    fromMs = atMs + killPhaseMs;
    return [before, { name: `${killPhaseMs / 1_000} s after the ${name} is killed`, fromMs: atMs, toMs: fromMs }];
  });
  return [...phases, { name: "until the end", fromMs, toMs: durationMs }];
}

function phaseRow(samples: readonly Sample[], { name, fromMs, toMs }: Phase): string[] {
  const within = samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const times = within.filter(({ status }) => status === 200).map(({ ms }) => ms);
  times.sort((a, b) => a - b);
  const quantiles = [0.5, 0.99, 1].map((quantile) => format(quantileOfSorted(times, quantile)));
  const unavailable = within.filter(({ status }) => status === 503).length;
  const unanswered = within.filter(({ status }) => status === null).length;
  const other = within.length - times.length - unavailable - unanswered;
  return [name, count(within.length), ...quantiles, ...[unavailable, unanswered, other].map(count)];
}

function lossTable({ tracking }: SoakResults): Table {
  const { versions, missingVersions, reports, missingReports, deliveries, missingDeliveries } = tracking;
  const rows = [
    ["versions stored", count(versions), count(missingVersions), "–"],
    ["reports written", count(reports), count(missingReports), "–"],
    ["webhooks received", count(deliveries), count(missingDeliveries), count(tracking.repeatedDeliveries)],
  ];
  return { under: "What was lost", head: ["What", "Expected", "Missing", "Repeated"], rows };
}

/** Says how far the measured client was from its interval, which explains the number of requests. */
function intervalText({ samples }: SoakResults): string {
  const times = samples.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const lateMs = times.slice(1).map((atMs, index) => atMs - (times[index] as number) - sampleIntervalMs);
  return `The measured client's timer was late by at most ${format(Math.max(...lateMs))} ms.`;
}

/** Draws the slowest request of each second, served ones apart from failed ones. */
function chartOf({ samples, kills, durationMs }: SoakResults): string {
  const slowest = new Map<string, Sample>();
  for (const sample of samples) {
    const id = `${Math.floor(sample.atMs / 1_000)} ${sample.status === 200}`;
    if (sample.ms > (slowest.get(id)?.ms ?? -1)) slowest.set(id, sample);
  }
  const pointsOf = (isServed: boolean) =>
    [...slowest.values()]
      .filter(({ status }) => (status === 200) === isServed)
      .map(({ atMs, ms }) => ({ x: atMs / 60_000, y: ms }));
  const minutes = durationMs / 60_000;
  const failed = samples.filter(({ status }) => status !== 200).length;
  const killed = kills.map(({ name }) => `The ${name} is killed once`).join("; ");
  return renderChart({
    title: "Time of requests under load and faults",
    description: `The slowest request of each second, in milliseconds on a logarithmic scale, over ${minutes} minutes. ${killed}. ${failed} of ${samples.length} requests failed, around the kills.`,
    heading: "Slowest request of each second, ms",
    subtitle: "circles: served; triangles: 503 or no answer; dashed lines: kills",
    x: { label: "minutes", ticks: Array.from({ length: minutes + 1 }, (_, minute) => minute), from: 0, to: minutes },
    y: { ticks: [1, 10, 100, 1_000, 10_000], from: 1, to: 30_000, isLogarithmic: true },
    series: [
      { colour: "green", marker: "dot", points: pointsOf(true) },
      { colour: "red", marker: "triangle", points: pointsOf(false) },
    ],
    rules: kills.map(({ name, atMs }) => ({ at: atMs / 60_000, axis: "x", label: `${name} killed` })),
  });
}

export function report(results: SoakResults): Outcome {
  const { durationMs, kills, samples, counts, tracking, memory } = results;
  const clients = Object.entries(counts).map(([kind, { ok, unavailable, cut, wrong }]) => [
    ...[kind, ...[ok, unavailable, cut, wrong].map(count)],
  ]);
  const backs = kills.map(({ name, atMs, backMs }) => `${seconds(backMs - atMs)} after the kill of the ${name}`);
  const phases = phasesOf(results).map((phase) => phaseRow(samples, phase));
  const { missingVersions, missingReports, missingDeliveries } = tracking;
  const wrong = Object.values(counts).reduce((sum, each) => sum + each.wrong, 0);
  return {
    tables: [
      {
        under: "The measured client",
        head: ["Phase", "Requests", "p50 ms", "p99 ms", "max ms", "503", "No answer", "Other"],
        rows: phases,
      },
      lossTable(results),
      { under: "The other clients", head: ["Clients", "Served", "503", "Cut", "Wrong"], rows: clients },
    ],
    goals: [
      ...limit("nothing is lost", { missing: missingVersions + missingReports + missingDeliveries }, { atMost: 0 }),
      ...limit("no answer is wrong", { wrong }, { atMost: 0 }),
    ],
    notes: [
      `The load lasted ${format(durationMs / 60_000)} minutes.`,
      intervalText(results),
      `The health check reported a connected database again ${backs.join(", and ")}.`,
      `Resident memory of the launcher and the server: ${format(memory.startMebibytes)} MiB after a minute, ${format(memory.endMebibytes)} MiB at the end.`,
    ],
    results,
    chart: chartOf(results),
  };
}
