import { setTimeout as wait } from "node:timers/promises";
import { renderChart } from "../chart";
import { defineBench, format, limit, ratio } from "../harness";
import { cpuTimeMs } from "../processes";
import { simulate } from "./simulate";
import { startWorld } from "./world";

/** Time in which workers start, and requests before the measurement are under way. */
const warmUpMs = 5_000;
const pollMs = 250;
const workerCounts = [1, 2, 4] as const;
/** The least rate of so many workers as a multiple of one worker's. */
const goals = [
  [2, 1.8],
  [4, 3.5],
] as const;

type World = Awaited<ReturnType<typeof startWorld>>;
type Rate = { workers: number; filesPerSecond: number; cpuMsPerFile: number };

function measureRate(world: World, workerCount: number, seconds: number, concurrency: number): Promise<Rate> {
  return world.withWorkers(workerCount, concurrency, async (workers) => {
    const pids = workers.map(({ pid }) => pid as number);
    while ((await world.report()).files < concurrency * workerCount) await wait(pollMs);
    await wait(warmUpMs);
    const [before, beforeCpuMs, startedMs] = [await world.report(), cpuTimeMs(pids), performance.now()];
    await wait(seconds * 1_000);
    const [after, afterCpuMs, endedMs] = [await world.report(), cpuTimeMs(pids), performance.now()];
    const files = after.files - before.files;
    return {
      workers: workerCount,
      filesPerSecond: (files * 1_000) / (endedMs - startedMs),
      cpuMsPerFile: (afterCpuMs - beforeCpuMs) / files,
    };
  });
}

/** Fetches every vendor once with four workers. */
async function fetchAll(world: World, concurrency: number) {
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1_000;
  await world.withWorkers(4, concurrency, async () => {
    while ((await world.countDue()) > 0) await wait(pollMs);
  });
  const [rows] = await world.client.$queryRaw<{ vendors: number; twice: number }[]>`
    SELECT count(*)::int AS vendors, count(*) FILTER (WHERE count > 1)::int AS twice
    FROM (SELECT count(*) FROM fetches WHERE outcome <> 'failed' AND created_at > now() - make_interval(secs => ${seconds()})
      GROUP BY vendor_id) AS counts`;
  return { seconds: seconds(), vendors: rows?.vendors ?? 0, twice: rows?.twice ?? 0, hosts: await world.report() };
}

function chartOf(rates: readonly Rate[]): string {
  const single = rates[0]!.filesPerSecond;
  const most = rates.at(-1)!.workers;
  const step = Math.ceil((single * most) / 25) * 5;
  const points = rates.map(({ workers, filesPerSecond }) => ({ x: workers, y: filesPerSecond }));
  const described = points.map(({ x, y }) => `${x}: ${Math.round(y)}`).join(", ");
  return renderChart({
    title: "Files per second against the number of workers",
    description: `Files per second by number of workers: ${described}. The dashed line is the rate of one worker times their number.`,
    heading: "Files per second",
    subtitle: "hosts that answer in 100 to 500 ms, 8 fetches at a time in each worker",
    x: { label: "workers", ticks: points.map(({ x }) => x), from: 0, to: most },
    y: { ticks: Array.from({ length: 6 }, (_, index) => index * step), from: 0, to: step * 5 },
    series: [
      {
        colour: "ink",
        dash: "6 4",
        line: true,
        points: [
          { x: 0, y: 0 },
          { x: most, y: single * most },
        ],
      },
      { colour: "red", line: true, marker: "circle", points, labels: points.map(({ y }) => `${Math.round(y)}`) },
    ],
  });
}

export const bench = defineBench({
  about: `Fetches files with 1, 2 and 4 workers from hosts that answer in 100 to 500 ms, two vendors to a host, so that waiting is the limit and
not the processors. Then fetches all vendors once with four workers, and reports whether each was fetched once. With --simulate, fills a database with that many vendors instead, and measures sizes and
the statements of the queue.`,
  options: {
    vendors: { default: 10_000, quick: 500, min: 100, max: 12_000, about: "vendors" },
    seconds: { default: 30, quick: 5, min: 5, max: 120, about: "time of each measurement" },
    concurrency: { default: 8, min: 1, max: 64, about: "fetches of a worker at a time" },
    simulate: { default: 0, min: 0, max: 5_000_000, about: "vendors in a database" },
  },
  async run({ vendors, seconds, concurrency, simulate: simulatedCount }, { say, cleanUp }) {
    if (simulatedCount > 0) return simulate(simulatedCount, cleanUp);
    const world = await startWorld(vendors);
    cleanUp(world.drop);
    const rates: Rate[] = [];
    for (const workerCount of workerCounts) {
      rates.push(await measureRate(world, workerCount, seconds, concurrency));
      say(`${workerCount} workers: ${format(rates.at(-1)?.filesPerSecond)} files a second`);
    }
    const single = rates[0]!.filesPerSecond;
    const all = await fetchAll(world, 4 * concurrency);
    const rows = rates.map(({ workers, filesPerSecond, cpuMsPerFile }) => [
      ...[String(workers), format(filesPerSecond), ratio(filesPerSecond, single), format(cpuMsPerFile)],
    ]);
    const twice = all.twice + all.hosts.repeated;
    return {
      tables: [
        { head: ["Workers", "Files a second", "Ratio", "CPU ms per file"], rows },
        {
          head: ["All vendors once", "Seconds", "Fetched", "Twice"],
          rows: [["4 workers", ...[all.seconds, all.vendors, twice].map(format)]],
        },
      ],
      goals: [
        ...goals.flatMap(([workers, atLeast]) => {
          const rate = rates.find((each) => each.workers === workers)!.filesPerSecond / single;
          return limit(`${workers} workers ≥ ${atLeast} × one`, { "": rate }, { atLeast, unit: " ×" });
        }),
        ...limit("every vendor is fetched exactly once", { fetched: all.vendors - twice }, { atLeast: vendors }),
      ],
      results: { rates, all },
      chart: chartOf(rates),
    };
  },
});
