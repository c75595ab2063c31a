import { writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeResults } from "../bench-command";
import { formatNumber, table } from "../replay/report-format";
import { renderChart } from "./chart";
import { simulate, simulationText } from "./simulate";
import { cpuSecondsOf, startWorld, stopWorkers, type World } from "./world";

const helpText = `Usage: npm run bench -- scale [--vendors <n>] [--seconds <n>] [--concurrency <n>] [--kills <n>]
       npm run bench -- scale --simulate <n>

Fetches files with 1, 2 and 4 workers from hosts that answer in 100 to 500 ms, two vendors to a host, so that waiting is the
limit and not the processors. Then fetches all vendors once with four workers, and reports whether each was fetched once and
each host got one request a second and two at a time. With --kills, ends a random worker that often while they do so.

With --simulate, fills a database with that many vendors instead, and measures sizes and the statements of the queue.

Options:
  --vendors <n>      vendors, 100 to 12,000 (default: 10,000)
  --seconds <n>      time of each measurement, 5 to 120 (default: 30)
  --concurrency <n>  fetches of a worker at a time, 1 to 64 (default: 8)
  --kills <n>        workers to end, 0 to 100 (default: 0)
  --simulate <n>     vendors in a database, 1,000 to 5,000,000
  --help             this text

Writes .tapedeck/bench/scale.json and scale.svg.`;

const workerCounts = [1, 2, 4] as const;
/** Time in which workers start, and requests before the measurement are under way. */
const warmUpMs = 5_000;
const pollMs = 250;

export type Rate = { workers: number; filesPerSecond: number; cpuMsPerFile: number };

/** Measures the rate of a number of workers. */
async function measureRate(world: World, workerCount: number, seconds: number, concurrency: number): Promise<Rate> {
  await world.makeDue();
  await world.report("reset");
  const workers = Array.from({ length: workerCount }, () => world.startWorker(concurrency));
  const cpu = () => workers.reduce((sum, { pid }) => sum + cpuSecondsOf(pid as number), 0);
  try {
    while ((await world.report()).files < concurrency * workerCount) await wait(pollMs);
    await wait(warmUpMs);
    const [before, beforeCpu, startedMs] = [await world.report(), cpu(), performance.now()];
    await wait(seconds * 1_000);
    const [after, afterCpu, endedMs] = [await world.report(), cpu(), performance.now()];
    const files = after.files - before.files;
    return {
      workers: workerCount,
      filesPerSecond: (files * 1_000) / (endedMs - startedMs),
      cpuMsPerFile: ((afterCpu - beforeCpu) * 1_000) / files,
    };
  } finally {
    await stopWorkers(workers);
  }
}

/** Fetches every vendor once with four workers, some of which are killed and started again. */
async function fetchAll(world: World, killCount: number, concurrency: number) {
  await world.makeDue();
  await world.report("reset");
  const startedMs = performance.now();
  const workers = Array.from({ length: 4 }, () => world.startWorker(concurrency));
  let killed = 0;
  try {
    const total = await world.countDue();
    for (let due = total; due > 0; due = await world.countDue()) {
      // Kills are spread over the first nine tenths of the work.
      if (killed < killCount && total - due > (0.9 * total * (killed + 1)) / (killCount + 1)) {
        const index = Math.floor(Math.random() * workers.length);
        await stopWorkers([workers[index] as (typeof workers)[number]], "SIGKILL");
        workers[index] = world.startWorker(concurrency);
        killed += 1;
      }
      await wait(pollMs);
    }
  } finally {
    await stopWorkers(workers);
  }
  const [rows] = await world.database.client.$queryRaw<{ fetches: number; vendors: number; twice: number }[]>`
    SELECT sum(count)::int AS fetches, count(*)::int AS vendors, count(*) FILTER (WHERE count > 1)::int AS twice
    FROM (SELECT count(*) FROM fetches WHERE outcome <> 'failed' AND created_at > now() - make_interval(secs => ${
      (performance.now() - startedMs) / 1_000
    }) GROUP BY vendor_id) AS counts`;
  return { killed, seconds: (performance.now() - startedMs) / 1_000, ...rows, hosts: await world.report() };
}

function parseInteger(text: string, min: number, max: number): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}

/** `npm run bench -- scale`: returns the exit code. */
export async function main(commandLine: string[]): Promise<number> {
  const options = {
    vendors: { type: "string", default: "10000" },
    seconds: { type: "string", default: "30" },
    concurrency: { type: "string", default: "8" },
    kills: { type: "string", default: "0" },
    simulate: { type: "string" },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ args: commandLine, options });
  const vendors = parseInteger(values.vendors, 100, 12_000);
  const seconds = parseInteger(values.seconds, 5, 120);
  const concurrency = parseInteger(values.concurrency, 1, 64);
  const kills = parseInteger(values.kills, 0, 100);
  if (values.help || !vendors || !seconds || !concurrency || kills === undefined) {
    (values.help ? console.log : console.error)(helpText);
    return values.help ? 0 : 2;
  }
  if (values.simulate !== undefined) {
    const count = parseInteger(values.simulate, 1_000, 5_000_000);
    if (count) console.log(simulationText(await simulate(count)));
    else console.error(helpText);
    return count ? 0 : 2;
  }
  const world = await startWorld(vendors);
  try {
    const rates: Rate[] = [];
    for (const count of workerCounts) rates.push(await measureRate(world, count, seconds, concurrency));
    const single = rates[0]?.filesPerSecond ?? 1;
    const rows = rates.map((rate) => [
      ...[String(rate.workers), formatNumber(rate.filesPerSecond), `${formatNumber(rate.filesPerSecond / single)} ×`],
      formatNumber(rate.cpuMsPerFile),
    ]);
    console.log(`\n${table(["Workers", "Files per second", "Ratio", "CPU ms per file"], rows)}\n`);
    const all = await fetchAll(world, kills, 4 * concurrency);
    console.log(JSON.stringify(all, null, 2));
    const file = await writeResults("scale", { vendors, rates, all });
    await writeFile(file.replace(/json$/, "svg"), renderChart(rates));
  } finally {
    await world.close();
  }
  return 0;
}
