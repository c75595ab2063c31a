import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeResults } from "../bench-command";
import { formatNumber, table } from "../replay/report-format";
import type { Cost } from "./cost-process";
import { type Engine, type EngineName, engines } from "./engines";
import { isOfVisitedSite, type JudgedQuery, judgedDocuments, judgedQueries, visitorQueries } from "./judged-set";
import { measureQuality, type Quality } from "./quality";
import { type PlainDocument, realCorpus, toPlain } from "./real-corpus";

const helpText = `Usage: npm run bench -- search [--counts <n,n>] [--queries <n>] [--only quality|cost]

Compares search with MiniSearch, Orama and lunr. Quality: over the bundled cassettes and pages, on the judged queries in
tests/bench/search/judged. Cost: over generated documents of 305 words, each engine in a separate process.

Options:
  --counts <n,n>  numbers of documents for the cost (default: 5000,50000)
  --queries <n>   queries for the cost, 10 to 10,000 (default: 300)
  --only <part>   only quality or cost
  --help          this text

Writes .tapedeck/bench/search.json.`;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const costEngines: EngineName[] = ["tapedeck", "MiniSearch", "Orama", "lunr"];
/** Maximum time for one engine at one number of documents. */
const costTimeoutMs = 20 * 60 * 1_000;
const maxHeapMiB = 8_192;

type QualityRow = Quality & { engine: string; byKind: Record<string, number>; visitorNdcg: number };
type CostRow = Cost & { engine: string };

async function measureQualities(): Promise<{ rows: QualityRow[]; queryCount: number; documentCount: number }> {
  const documents = (await realCorpus()).map(toPlain);
  const judged = judgedDocuments(new Set(documents.map(({ id }) => id)));
  const queries = judgedQueries(judged);
  const rows: QualityRow[] = [];
  for (const [name, create] of Object.entries(engines)) {
    const engine = create();
    for (const document of documents) await engine.add(document);
    engine.finish();
    const measure = (some: JudgedQuery[]) => measureQuality(some, judged, (q) => engine.rank(q, documents.length));
    const byKind: Record<string, number> = {};
    for (const kind of new Set(queries.map((query) => query.kind))) {
      byKind[kind] = (await measure(queries.filter((query) => query.kind === kind))).ndcg;
    }
    const visitors = await measureVisitors(create(), documents.filter(isOfVisitedSite));
    rows.push({ engine: name, ...(await measure(queries)), byKind, visitorNdcg: visitors.ndcg });
  }
  return { rows, queryCount: queries.length, documentCount: documents.length };
}

async function measureVisitors(engine: Engine, documents: readonly PlainDocument[]): Promise<Quality> {
  for (const document of documents) await engine.add(document);
  engine.finish();
  const ids = new Set(documents.map(({ id }) => id));
  return measureQuality(visitorQueries(), ids, (q) => engine.rank(q, documents.length));
}

/** Returns undefined if the engine ran out of time or memory. */
async function measureCost(engine: EngineName, documentCount: number, queryCount: number): Promise<Cost | undefined> {
  const file = fileURLToPath(new URL("./cost-process.ts", import.meta.url));
  const execArgv = ["--expose-gc", `--max-old-space-size=${maxHeapMiB}`, "--import", "tsx"];
  const child = fork(file, [engine, String(documentCount), String(queryCount)], { execArgv, cwd: root });
  const timer = setTimeout(() => child.kill("SIGKILL"), costTimeoutMs);
  let cost: Cost | undefined;
  child.on("message", (message) => {
    cost = message as Cost;
  });
  await once(child, "exit");
  clearTimeout(timer);
  return cost;
}

function printQuality(rows: readonly QualityRow[]): void {
  const kinds = Object.keys(rows[0]?.byKind ?? {});
  const head = [
    "Engine",
    "nDCG@10",
    "Recall@10",
    "MRR",
    ...kinds.map((kind) => `nDCG@10, ${kind}`),
    "nDCG@10, visitors",
  ];
  const cells = rows.map(({ engine, ndcg, recall, mrr, byKind, visitorNdcg }) => [
    engine,
    ...[ndcg, recall, mrr, ...kinds.map((kind) => byKind[kind] ?? Number.NaN), visitorNdcg].map((value) =>
      value.toFixed(3),
    ),
  ]);
  console.log(`\n${table(head, cells)}\n`);
}

function printCost(rows: readonly CostRow[]): void {
  const head = [
    "Documents",
    "Engine",
    "p50 ms",
    "p99 ms",
    "p99 ms with typos",
    "Heap and arrays MiB",
    "RSS MiB",
    "Index s",
  ];
  const cells = rows.map((row) => [
    row.documentCount.toLocaleString("en"),
    row.engine,
    ...[row.p50Ms, row.p99Ms, row.typoP99Ms].map((ms) => (ms < 1 ? ms.toFixed(2) : formatNumber(ms))),
    ...[row.heapMiB, row.rssMiB, row.indexMs / 1_000].map(formatNumber),
  ]);
  console.log(`\n${table(head, cells)}\n`);
}

/** `npm run bench -- search`: returns the exit code. */
export async function main(commandLine: string[]): Promise<number> {
  const { values } = parseArgs({
    args: commandLine,
    options: {
      counts: { type: "string", default: "5000,50000" },
      queries: { type: "string", default: "300" },
      only: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const counts = values.counts.split(",").map(Number);
  const queryCount = Number(values.queries);
  const isWrong =
    counts.some((count) => !Number.isInteger(count) || count < 1 || count > 1_000_000) ||
    !Number.isInteger(queryCount) ||
    queryCount < 10 ||
    queryCount > 10_000 ||
    !["quality", "cost", undefined].includes(values.only);
  if (values.help || isWrong) {
    (isWrong ? console.error : console.log)(helpText);
    return isWrong ? 2 : 0;
  }
  const quality = values.only === "cost" ? undefined : await measureQualities();
  if (quality) {
    console.log(`${quality.queryCount} judged queries over ${quality.documentCount} documents`);
    printQuality(quality.rows);
  }
  const cost: CostRow[] = [];
  for (const count of values.only === "quality" ? [] : counts) {
    for (const engine of costEngines) {
      const measured = await measureCost(engine, count, queryCount);
      if (measured) cost.push({ engine, ...measured });
      const p99 = measured ? `p99 ${measured.p99Ms.toFixed(2)} ms` : "gave up, out of time or memory";
      console.log(`${engine}, ${count.toLocaleString("en")} documents: ${p99}`);
    }
  }
  if (cost.length > 0) printCost(cost);
  await writeResults("search", { quality, cost });
  return 0;
}
