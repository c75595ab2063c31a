import { quantileOfSorted } from "../replay/percentiles";
import { type Engine, type EngineName, engines } from "./engines";
import { GeneratedCorpus } from "./generated-corpus";

/** Cost of an engine at a number of documents. Memory is the increase since before the first document. */
export type Cost = {
  documentCount: number;
  indexMs: number;
  /** JavaScript heap and typed arrays. */
  heapMiB: number;
  rssMiB: number;
  p50Ms: number;
  p99Ms: number;
  /** Of the same queries with a typo in each longer word. */
  typoP99Ms: number;
  queryCount: number;
};

const seed = 20_261_121;
const hitCount = 10;
const warmUpCount = 100;
/** Runs of each query. Its median counts, so that other work of the machine does not affect the result. */
const passCount = 3;
const mebibyte = 1024 * 1024;

function memory(): { heap: number; rss: number } {
  for (let pass = 0; pass < 4; pass++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

async function measureCost(name: EngineName, documentCount: number, queryCount: number): Promise<Cost> {
  const corpus = new GeneratedCorpus(seed);
  const before = memory();
  const engine = engines[name]();
  let indexMs = 0;
  for (let number = 0; number < documentCount; number++) {
    const document = corpus.document(number);
    const startMs = performance.now();
    await engine.add(document);
    indexMs += performance.now() - startMs;
  }
  const finishMs = performance.now();
  engine.finish();
  indexMs += performance.now() - finishMs;
  for (let query = 0; query < warmUpCount; query++) await engine.rank(corpus.query(), hitCount);
  const after = memory();
  const queries = Array.from({ length: queryCount }, () => corpus.query());
  const times = await timesOf(engine, queries);
  const typoTimes = await timesOf(engine, queries.map(misspell));
  return {
    documentCount,
    indexMs,
    heapMiB: (after.heap - before.heap) / mebibyte,
    rssMiB: (after.rss - before.rss) / mebibyte,
    p50Ms: quantileOfSorted(times, 0.5),
    p99Ms: quantileOfSorted(times, 0.99),
    typoP99Ms: quantileOfSorted(typoTimes, 0.99),
    queryCount,
  };
}

/** Drops the third letter of each word of five letters or more. */
function misspell(q: string): string {
  return q.replace(/\b(\w\w)\w(\w\w+)/g, "$1$2");
}

/** Returns the median time of each query in milliseconds, in ascending order. */
async function timesOf(engine: Engine, queries: readonly string[]): Promise<Float64Array> {
  const times = new Float64Array(queries.length);
  for (const [query, q] of queries.entries()) {
    const passes: number[] = [];
    for (let pass = 0; pass < passCount; pass++) {
      const startMs = performance.now();
      await engine.rank(q, hitCount);
      passes.push(performance.now() - startMs);
    }
    times[query] = passes.sort((a, b) => a - b)[1] as number;
  }
  return times.sort();
}

const [name, documentCount, queryCount] = process.argv.slice(2);
const cost = await measureCost(name as EngineName, Number(documentCount), Number(queryCount));
process.send?.(cost);
process.disconnect?.();
