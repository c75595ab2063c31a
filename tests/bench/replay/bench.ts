import { fileURLToPath } from "node:url";
import { defineBench, format, median, takeTurns } from "../harness";
import { startRole } from "../processes";
import { type CassetteName, makeCassettes } from "./cassettes";
import { loadGenerator, type StartMode } from "./load";
import { lateMs, type MostClients, report } from "./report";
import { type Measurement, measure, type RunningServer, type Scenario, servers } from "./servers";

/** Numbers of clients to try in turn in the search for the maximum on time. */
const searchSteps = [50, 100, 200, 300, 500, 750, 1_000, 1_250, 1_500, 2_000];
/** Minimum number of clients for which a scenario is repeated. With fewer, the server is idle and runs hardly differ. */
const repeatedFromClientCount = 200;
/** Number of clients from which a server is omitted for the 600-chunk cassette, because it is far over its capacity. */
const leftOutFrom: Record<string, number> = { aimock: 500, "tapedeck-route": 1_000 };

/** The scenarios of a run, lightest first. */
function plan(isQuick: boolean): Scenario[] {
  const cells = (cassette: CassetteName, start: StartMode, clientCounts: number[]) =>
    clientCounts.map((clientCount): Scenario => ({ kind: "replay", cassette, clientCount, start }));
  if (isQuick) return [...cells("c60", "spread", [200]), ...cells("c600", "spread", [200])];
  const counts = [1, 50, 200, 500, 1_000];
  return [
    ...[...cells("c60", "spread", counts), ...cells("c600", "spread", counts)],
    ...[...cells("c60", "in-phase", [200]), ...cells("c600", "in-phase", [200])],
    { kind: "burst", cassette: "c60", clientCount: 200, start: "spread" },
  ];
}

function describe({ server, kind, cassette, clientCount, start, p50Ms, p99Ms, maxMs, ...cost }: Measurement): string {
  const error = [p50Ms, p99Ms, maxMs].map(format).join("/");
  const failed = cost.failureCount > 0 ? `, ${cost.failureCount} FAILED: ${JSON.stringify(cost.failures)}` : "";
  const what = `${kind === "burst" ? "burst, " : ""}${cassette}, ${clientCount} ${start}, ${server}`;
  return `${what}: p50/p99/max ${error} ms, ${format(cost.cpuPerChunkMicroseconds)} µs a chunk${failed}`;
}

const isOnTime = ({ p99Ms, failureCount }: Measurement) => failureCount === 0 && p99Ms <= lateMs;

/**
 * Tries the steps upwards until one fails. The majority of its runs decides a step, which ends as soon as it is known. Steps
 * that were measured before are not repeated, nor are those below the largest one up to which all measured steps passed.
 */
async function searchMostClients(
  server: string,
  runCount: number,
  known: readonly Measurement[],
  run: (clientCount: number) => Promise<Measurement>,
): Promise<MostClients> {
  const knownRuns = (clientCount: number) => known.filter((each) => each.clientCount === clientCount);
  const passedCount = (runs: Measurement[]) => runs.filter(isOnTime).length;
  const hasPassed = (runs: Measurement[]) => passedCount(runs) * 2 > runs.length;
  const knownSteps = searchSteps.filter((step) => knownRuns(step).length > 0);
  const firstFailed = knownSteps.findIndex((step) => !hasPassed(knownRuns(step)));
  let inTime = (firstFailed < 0 ? knownSteps : knownSteps.slice(0, firstFailed)).at(-1) ?? 0;
  for (const clientCount of searchSteps.filter((step) => step > inTime)) {
    const runs = knownRuns(clientCount);
    const isKnown = runs.length > 0;
    const isDecided = () => passedCount(runs) * 2 > runCount || (runs.length - passedCount(runs)) * 2 >= runCount;
    while (!isKnown && !isDecided()) runs.push(await run(clientCount));
    if (!hasPassed(runs)) {
      return { server, inTime, tooMany: clientCount, tooManyP99Ms: median(runs.map(({ p99Ms }) => p99Ms)) };
    }
    inTime = clientCount;
  }
  return { server, inTime, tooMany: null, tooManyP99Ms: Number.NaN };
}

export const bench = defineBench({
  about: `Timing, CPU time and memory of replay, beside a bare node:http server and aimock: how far chunks arrive from their recorded time, what
a replay costs, and how many clients one process can serve. Takes about twelve minutes.`,
  page: { name: "benchmarks-replay", goals: "Targets of the self-hosted server" },
  options: {
    servers: { default: Object.keys(servers).join(","), about: "which servers" },
    runs: { default: 3, quick: 1, min: 1, max: 20, about: "runs of each scenario from 200 clients on" },
  },
  async run({ servers: asked, runs }, { say, cleanUp, makeFolder, isQuick }) {
    const names = asked.split(",");
    const unknown = names.filter((name) => !(name in servers));
    if (unknown.length > 0) throw new Error(`--servers: there is no ${unknown.join(", ")}`);
    const folder = await makeFolder();
    const cassettes = await makeCassettes(folder);
    const load = await startRole(fileURLToPath(new URL("load.ts", import.meta.url)), loadGenerator, []);
    const chosen = Object.entries(servers).filter(([name]) => names.includes(name));
    const running = await Promise.all(chosen.map(([, start]) => start(cassettes, folder, cleanUp)));
    const measurements: Measurement[] = [];
    const run = async (server: RunningServer, scenario: Scenario) => {
      const measurement = await measure(load, server, cassettes, scenario);
      measurements.push(measurement);
      say(describe(measurement));
      return measurement;
    };
    const searched = { kind: "replay", cassette: "c60", start: "spread" } as const;
    for (const server of running) await measure(load, server, cassettes, { ...searched, clientCount: 200 });
    for (const scenario of plan(isQuick)) {
      const { cassette, clientCount } = scenario;
      const isTooMuch = ({ name }: RunningServer) =>
        cassette === "c600" && clientCount >= (leftOutFrom[name] ?? Number.POSITIVE_INFINITY);
      const taking = running.filter((server) => !isTooMuch(server));
      await takeTurns(taking, clientCount < repeatedFromClientCount ? 1 : runs, (server) => run(server, scenario));
    }
    const mostClients: MostClients[] = [];
    for (const server of isQuick ? [] : running) {
      const known = measurements.filter(
        ({ server: name, kind, cassette, start, clientCount }) =>
          name === server.name &&
          kind === "replay" &&
          cassette === "c60" &&
          start === "spread" &&
          searchSteps.includes(clientCount),
      );
      const found = await searchMostClients(server.name, runs, known, (clientCount) =>
        run(server, { ...searched, clientCount }),
      );
      say(`${server.name}: ${found.inTime} clients in time`);
      mostClients.push(found);
    }
    return report(measurements, mostClients);
  },
});
