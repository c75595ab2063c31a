import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCassettes } from "./cassettes";
import { type LoadGenerator, startLoadGenerator } from "./load-generator";
import { type Measurement, measureBurst, measureReplay, type RunningServer, startServer, warmUp } from "./measure";
import { type BenchOptions, helpText, parseOptions, UsageError } from "./options";
import { burst, planConfigurations, searchSteps } from "./plan";
import { killAllNow, stopAll } from "./processes";
import { type MostClients, searchMostClients } from "./search-most-clients";
import { type Cassettes, servers } from "./servers";
import { writeResults } from "./write-results";

/** All results of a benchmark run. */
export type BenchResults = {
  options: BenchOptions;
  startedAt: string;
  durationSeconds: number;
  measurements: Measurement[];
  mostClients: MostClients[];
  /** Why a requested server is not in the results, one line each. */
  missing: string[];
};

function say(line: string): void {
  console.log(line);
}

function describe({ server, scenario, cassette, clientCount, start, ...rest }: Measurement): string {
  const { p50Ms, p99Ms, maxMs } = rest.seen.error;
  const what = scenario === "burst" ? `${clientCount} + ${burst.newClientCount} at once` : `${clientCount} ${start}`;
  const error = [p50Ms, p99Ms, maxMs].map((value) => value.toFixed(1)).join("/");
  const failed = rest.failureCount > 0 ? `, ${rest.failureCount} FAILED` : "";
  const cost = `${rest.cpuPerChunkMicroseconds.toFixed(0)} µs a chunk, ${rest.residentPeakMebibytes.toFixed(0)} MiB`;
  return `${cassette} ${what.padEnd(18)} ${server.padEnd(15)} ${error} ms, ${cost}${failed}`;
}

class BenchRun {
  readonly measurements: Measurement[] = [];
  readonly mostClients: MostClients[] = [];

  constructor(
    readonly options: BenchOptions,
    readonly load: LoadGenerator,
    readonly running: RunningServer[],
    readonly cassettes: Cassettes,
  ) {}

  async measureAll(): Promise<void> {
    say("Each line: median/99th percentile/greatest distance from the schedule, then the server's cost.");
    for (const { runCount, withoutServers, ...scenario } of planConfigurations(this.options)) {
      const taking = this.running.filter(({ name }) => !withoutServers.includes(name));
      await this.#interleave(taking, runCount, (server) => measureReplay(this.load, server, this.cassettes, scenario));
    }
    if (this.options.quick) return;
    await this.#interleave(this.running, this.options.runCount, (server) =>
      measureBurst(this.load, server, this.cassettes),
    );
    for (const server of this.running) await this.#search(server);
  }

  /** Runs the servers in turn. Each round starts with a different one, so that none always follows the same one. */
  async #interleave(
    running: RunningServer[],
    runCount: number,
    measure: (server: RunningServer) => Promise<Measurement>,
  ): Promise<void> {
    for (let run = 0; run < runCount; run++) {
      for (let turn = 0; turn < running.length; turn++) {
        this.#keep(await measure(running[(run + turn) % running.length]!));
      }
    }
  }

  #keep(measurement: Measurement): Measurement {
    this.measurements.push(measurement);
    say(describe(measurement));
    return measurement;
  }

  async #search(server: RunningServer): Promise<void> {
    const known = this.measurements.filter(
      ({ scenario, cassette, start, clientCount }) =>
        scenario === "replay" && cassette === "c60" && start === "spread" && searchSteps.includes(clientCount),
    );
    const found = await searchMostClients(server.name, this.options.runCount, known, async (clientCount) =>
      this.#keep(
        await measureReplay(this.load, server, this.cassettes, { cassette: "c60", clientCount, start: "spread" }),
      ),
    );
    say(`${server.name}: ${found.inTime} clients in time`);
    this.mostClients.push(found);
  }
}

async function runBench(options: BenchOptions, folder: string): Promise<void> {
  const startedAt = new Date();
  const cassettes = await makeCassettes(folder);
  const asked = servers.filter(({ name }) => options.serverNames.includes(name));
  const missing = asked.flatMap(({ name, missing: whyMissing }) => {
    const reason = whyMissing();
    return reason === undefined ? [] : [`${name}: ${reason}`];
  });
  for (const line of missing) say(`left out: ${line}`);
  const load = await startLoadGenerator();
  const available = asked.filter((server) => server.missing() === undefined);
  const running = await Promise.all(available.map((server) => startServer(server, cassettes, folder)));
  await warmUp(load, running, cassettes);
  const run = new BenchRun(options, load, running, cassettes);
  await run.measureAll();
  const { measurements, mostClients } = run;
  const durationSeconds = Math.round((Date.now() - startedAt.getTime()) / 1_000);
  const publish = options.publish && missing.length === 0;
  const written = await writeResults(
    { options, startedAt: startedAt.toISOString(), durationSeconds, measurements, mostClients, missing },
    publish,
  );
  say(`\nTook ${durationSeconds} s. Written: ${written.join(", ")}`);
}

/** `npm run bench -- replay`: returns the exit code. */
export async function main(commandLine: string[]): Promise<number> {
  let options: BenchOptions | undefined;
  try {
    options = parseOptions(commandLine);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${helpText}`);
    return 2;
  }
  if (options === undefined) {
    say(helpText);
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-bench-"));
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(130));
  });
  process.once("exit", killAllNow);
  try {
    return await Promise.race([runBench(options, folder).then(() => 0), interrupted]);
  } finally {
    await stopAll();
    await rm(folder, { recursive: true, force: true });
  }
}
