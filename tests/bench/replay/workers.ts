import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { count, defineBench, format, limit, median, takeTurns, withRange } from "../harness";
import { startRole } from "../processes";
import { makeCassettes } from "./cassettes";
import { loadGenerator } from "./load";
import { type Measurement, measure, startOurs } from "./servers";

/** The clients of two processes, by those of one: each process then has as many. */
const processCounts = [1, 2];
/** One for the load generator and one for each process. With fewer, they wait for each other. */
const coresForTiming = 3;

export const bench = defineBench({
  about: `Timed replays from one server process, and twice as many from two (WORKERS=2), which take turns: the processor time of a chunk
in all processes of the server, memory, and how late chunks are.`,
  options: {
    clients: { default: [200, 500, 1_000], quick: [200], min: 10, max: 5_000, about: "clients of each process" },
    rounds: { default: 5, quick: 1, min: 1, max: 50, about: "rounds" },
  },
  async run({ clients, rounds }, { say, cleanUp, makeFolder }) {
    const folder = await makeFolder();
    const cassettes = await makeCassettes(folder);
    const load = await startRole(fileURLToPath(new URL("load.ts", import.meta.url)), loadGenerator, []);
    const servers = await Promise.all(
      processCounts.map(async (processCount) => {
        const more = { WORKERS: String(processCount), DATABASE_URL: "" };
        return { processCount, server: await startOurs(`${processCount}`, "node", folder, cleanUp, more) };
      }),
    );
    const subjects = clients.flatMap((each) =>
      servers.map((one) => ({ ...one, clientCount: each * one.processCount })),
    );
    const run = async ({ server, clientCount }: (typeof subjects)[number]): Promise<Measurement> => {
      const scenario = { kind: "replay", cassette: "c60", start: "spread", clientCount } as const;
      const measurement = await measure(load, server, cassettes, scenario);
      const { p99Ms, cpuPerChunkMicroseconds, failureCount } = measurement;
      if (failureCount > 0) throw new Error(`${failureCount} streams failed`);
      const figures = `p99 ${format(p99Ms)} ms, ${format(cpuPerChunkMicroseconds)} µs a chunk, load ${format(loadavg()[0])}`;
      say(`${server.name} of ${clientCount} clients: ${figures}`);
      return measurement;
    };
    await takeTurns(subjects, 1, run);
    const measured = await takeTurns(subjects, rounds, run);
    const of = (index: number, figure: "p99Ms" | "cpuPerChunkMicroseconds" | "residentPeakMebibytes") =>
      measured[index]!.map((each) => each[figure]);
    const ratios = (figure: "p99Ms" | "cpuPerChunkMicroseconds") =>
      Object.fromEntries(
        clients.map((each, row) => [
          `${count(2 * each)} clients`,
          median(of(2 * row + 1, figure)) / median(of(2 * row, figure)),
        ]),
      );
    const hasCores = availableParallelism() >= coresForTiming;
    return {
      tables: [
        {
          head: ["Processes", "Clients", "p99 ms", "CPU µs a chunk", "Memory, MiB"],
          rows: subjects.map(({ processCount, clientCount }, index) => [
            ...[String(processCount), count(clientCount), withRange(of(index, "p99Ms"))],
            ...[withRange(of(index, "cpuPerChunkMicroseconds")), withRange(of(index, "residentPeakMebibytes"))],
          ]),
        },
      ],
      goals: [
        // Two processes on free cores then carry at least 1.8 times the clients of one.
        ...limit("a chunk of two processes takes ≤ 1.11 × the CPU", ratios("cpuPerChunkMicroseconds"), {
          atMost: 1.11,
          unit: " ×",
        }),
        ...(hasCores
          ? limit("twice the clients have ≤ 1.3 × the p99", ratios("p99Ms"), { atMost: 1.3, unit: " ×" })
          : []),
      ],
      results: { measured },
      notes: [`The p99 is a target from ${coresForTiming} cores on; here there are ${availableParallelism()}.`],
    };
  },
});
