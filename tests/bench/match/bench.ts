import { type Served, serve } from "../../support/serve";
import { runWithNumbers, writeResults } from "../bench-command";
import { median, quantileOfSorted } from "../replay/percentiles";
import { formatNumber, table } from "../replay/report-format";
import { type Corpus, writeCorpus } from "./corpus";
import { type Choice, measureInProcess } from "./in-process";
import { makeProbes, type Probe } from "./probes";

const helpText = `Usage: npm run bench -- match [--requests <n>] [--rounds <n>] [--cassettes <n>]

Measures drop-in requests on the built server with a large and a small folder of cassettes. Both take turns in one run.

Options:
  --requests <n>   requests of each kind in one round, 100 to 100,000 (default: 500)
  --rounds <n>     rounds, 1 to 50 (default: 9)
  --cassettes <n>  cassettes in the large folder, 24 to 10,000 (default: 10000)
  --help           this text

Also measures the processor time of the choice alone, in the process of the benchmark, and lists the files that it reads.

Writes .tapedeck/bench/match.json. Exits with 1 if a file was read that was not played, or if the choice alone takes more
than 1 ms longer at p99.`;

const smallCount = 23;
const maxAddedMs = 1;

async function send({ origin }: Served, { kind, body, match, id }: Probe): Promise<number> {
  const startMs = performance.now();
  const response = await fetch(`${origin}/v1/messages?speed=max`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const tookMs = performance.now() - startMs;
  const got = [response.headers.get("x-replay-match"), response.headers.get("x-replay-cassette")];
  if (got[0] !== match || got[1] !== id) throw new Error(`${kind}: got ${got.join(" ")}: ${text.slice(0, 300)}`);
  return tookMs;
}

/** Sends the requests to both servers in turn, so that a slow moment of the machine meets both. */
async function runRound(servers: readonly Served[], probe: Probe, count: number): Promise<number[][]> {
  const times = servers.map((): number[] => []);
  for (let left = count; left > 0; left--) {
    for (const [index, server] of servers.entries()) times[index]?.push(await send(server, probe));
  }
  return times.map((each) => each.sort((a, b) => a - b));
}

type Result = { kind: string; small: Record<string, number>; large: Record<string, number>; addedP99Ms: number };

function summarize(kind: string, rounds: number[][][]): Result {
  const of = (index: number, quantile: number) =>
    median(rounds.map((times) => quantileOfSorted(times[index] as number[], quantile)));
  const quantiles = (index: number) => ({ p50Ms: of(index, 0.5), p99Ms: of(index, 0.99) });
  const [small, large] = [quantiles(0), quantiles(1)];
  return { kind, small, large, addedP99Ms: large.p99Ms - small.p99Ms };
}

function print(results: readonly Result[], { count }: Corpus): void {
  const head = ["Matched", `p50 ms, ${smallCount}`, `p50 ms, ${count}`, `p99 ms, ${smallCount}`, `p99 ms, ${count}`];
  const rows = results.map(({ kind, small, large, addedP99Ms }) => [
    kind,
    ...[small.p50Ms, large.p50Ms, small.p99Ms, large.p99Ms].map((ms) => formatNumber(ms as number)),
    addedP99Ms.toFixed(2),
    `${((large.p99Ms as number) / (small.p99Ms as number)).toFixed(2)} ×`,
  ]);
  console.log(`\n${table([...head, "Added at p99, ms", "p99 ratio"], rows)}`);
}

const addedOf = ({ p99Ms }: Choice) => (p99Ms[1] as number) - (p99Ms[0] as number);

function printChoices(choices: readonly Choice[], { count }: Corpus): void {
  const head = ["Choice alone, CPU", `p50 ms, ${smallCount}`, `p50 ms, ${count}`, `p99 ms, ${smallCount}`];
  const rows = choices.map((choice) => [
    choice.kind,
    ...[...choice.p50Ms, ...choice.p99Ms].map((ms) => ms.toFixed(3)),
    addedOf(choice).toFixed(3),
  ]);
  console.log(`\n${table([...head, `p99 ms, ${count}`, "Added at p99, ms"], rows)}`);
}

type Options = { requestCount: number; roundCount: number; cassetteCount: number };

async function measure(corpora: readonly Corpus[], { requestCount, roundCount }: Options) {
  const servers: Served[] = [];
  try {
    for (const { folder } of corpora) {
      servers.push(await serve("node", { CASSETTE_DIR: folder, DATABASE_URL: "", LOG_LEVEL: "error" }));
    }
    const results: Result[] = [];
    for (const probe of await makeProbes(corpora[0]?.folder as string)) {
      await runRound(servers, probe, Math.min(requestCount, 300));
      const rounds: number[][][] = [];
      while (rounds.length < roundCount) rounds.push(await runRound(servers, probe, requestCount));
      results.push(summarize(probe.kind, rounds));
    }
    return results;
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function runBench(options: Options): Promise<number> {
  const corpora = [await writeCorpus(smallCount), await writeCorpus(options.cassetteCount)];
  const [small, large] = corpora as [Corpus, Corpus];
  try {
    const probes = await makeProbes(small.folder);
    const { choices, reads } = await measureInProcess(corpora, probes, options.requestCount * options.roundCount);
    printChoices(choices, large);
    const results = await measure(corpora, options);
    print(results, large);
    const rows = reads.map(({ kind, read, played }) => [kind, read.join(", ") || "none", played ?? "none"]);
    console.log(`\n${table(["Matched", "Files read", "Played"], rows)}`);
    await writeResults("match", { ...options, choices, results, reads });
    const isFast = choices.every((choice) => addedOf(choice) <= maxAddedMs);
    const isFrugal = reads.every(({ read, played }) => read.every((id) => id === played));
    return isFast && isFrugal ? 0 : 1;
  } finally {
    for (const corpus of corpora) await corpus.remove();
  }
}

/** `npm run bench -- match`: returns the exit code. */
export function main(commandLine: string[]): Promise<number> {
  const numbers = {
    requests: { default: 500, min: 100, max: 100_000 },
    rounds: { default: 9, min: 1, max: 50 },
    cassettes: { default: 10_000, min: smallCount + 1, max: 10_000 },
  };
  return runWithNumbers({ commandLine, helpText, numbers }, ({ requests, rounds, cassettes }) =>
    runBench({ requestCount: requests, roundCount: rounds, cassetteCount: cassettes }),
  );
}
