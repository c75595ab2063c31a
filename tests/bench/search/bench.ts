import { fileURLToPath } from "node:url";
import { count, defineBench, format } from "../harness";
import { startRole, stopProcess } from "../processes";
import { readCollections } from "./collections";
import { type Cost, engineCost } from "./cost";
import { type Engine, type EngineName, engines } from "./engines";
import {
  isOfVisitedSite,
  type JudgedQuery,
  judgedDocuments,
  judgedQueries,
  measureQuality,
  type PlainDocument,
  realCorpus,
  visitorQueries,
} from "./judged-set";

const costFile = fileURLToPath(new URL("cost.ts", import.meta.url));
const costEngines: EngineName[] = ["tapedeck", "MiniSearch", "Orama", "lunr"];
const nodeArguments = ["--expose-gc", "--max-old-space-size=8192"];

async function filled(engine: Engine, documents: readonly PlainDocument[]): Promise<Engine> {
  for (const document of documents) await engine.add(document);
  engine.finish();
  return engine;
}

/** Returns a row for each engine: the measures over all judged queries, and nDCG by kind of query and of visitors. */
async function measureQualities() {
  const documents = await realCorpus();
  const judged = judgedDocuments(new Set(documents.map(({ id }) => id)));
  const queries = judgedQueries(judged);
  const kinds = [...new Set(queries.map(({ kind }) => kind))];
  const visited = documents.filter(isOfVisitedSite);
  const rows: { engine: string; measures: number[] }[] = [];
  for (const [name, create] of Object.entries(engines)) {
    const engine = await filled(create(), documents);
    const measure = (some: JudgedQuery[]) => measureQuality(some, judged, (q) => engine.rank(q, documents.length));
    const { ndcg, recall, mrr } = await measure(queries);
    const measures = [ndcg, recall, mrr];
    for (const kind of kinds) measures.push((await measure(queries.filter((query) => query.kind === kind))).ndcg);
    const ofVisitors = await filled(create(), visited);
    const rank = (q: string) => ofVisitors.rank(q, visited.length);
    measures.push((await measureQuality(visitorQueries(), new Set(visited.map(({ id }) => id)), rank)).ndcg);
    rows.push({ engine: name, measures });
  }
  const byKind = [...kinds, "visitors"].map((kind) => `nDCG@10, ${kind}`);
  return {
    head: ["Engine", "nDCG@10", "Recall@10", "MRR", ...byKind],
    rows,
    queryCount: queries.length,
    documentCount: documents.length,
  };
}

/** Returns nDCG@10 of each engine on the public test collections in a folder. */
async function measureCollections(folder: string) {
  const collections = readCollections(folder);
  const rows: string[][] = [];
  for (const [name, create] of Object.entries(engines)) {
    const row = [name];
    for (const { documents, queries } of collections) {
      const engine = await filled(create(), documents);
      const ids = new Set(documents.map(({ id }) => id));
      row.push((await measureQuality(queries, ids, (q) => engine.rank(q, 10))).ndcg.toFixed(3));
    }
    rows.push(row);
  }
  return { head: ["Engine", ...collections.map(({ name }) => `nDCG@10, ${name}`)], rows };
}

export const bench = defineBench({
  about: `Compares search with MiniSearch, Orama and lunr. Quality: over the bundled cassettes and pages, on the judged queries in
tests/bench/search/judged. Cost: over generated documents of 305 words, each engine in a separate process.`,
  options: {
    counts: {
      default: [5_000, 50_000],
      quick: [500],
      min: 1,
      max: 1_000_000,
      about: "numbers of documents for the cost",
    },
    queries: { default: 300, quick: 20, min: 10, max: 10_000, about: "queries for the cost" },
    only: { default: "", about: "only quality or cost" },
    collections: {
      default: "",
      about: "folder with Cranfield (cran.all.1400, cran.qry, cranqrel) and CISI (CISI.ALL, CISI.QRY, CISI.REL)",
    },
  },
  async run({ counts, queries, only, collections }, { say }) {
    const tables = [];
    const quality = only === "cost" ? undefined : await measureQualities();
    if (quality) {
      say(`${quality.queryCount} judged queries over ${quality.documentCount} documents`);
      const rows = quality.rows.map(({ engine, measures }) => [engine, ...measures.map((value) => value.toFixed(3))]);
      tables.push({ head: quality.head, rows });
    }
    if (collections !== "") tables.push(await measureCollections(collections));
    const costs: (Cost & { engine: string })[] = [];
    for (const documentCount of only === "quality" ? [] : counts) {
      for (const engine of costEngines) {
        try {
          const role = await startRole(costFile, engineCost, [engine, documentCount, queries], { nodeArguments });
          costs.push({ engine, ...role.ready });
          await stopProcess(role.process);
          say(`${engine}, ${count(documentCount)} documents: p99 ${format(role.ready.times.p99Ms)} ms`);
        } catch (error) {
          say(`${engine}, ${count(documentCount)} documents: gave up. ${(error as Error).message}`);
        }
      }
    }
    const rows = costs.map(({ documentCount, engine, times, typoTimes, heapMiB, rssMiB, indexMs }) => [
      ...[count(documentCount), engine, times.p50Ms, times.p99Ms, typoTimes.p99Ms, heapMiB, rssMiB, indexMs / 1_000],
    ]);
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
    const cells = rows.map((row) => row.map((cell) => (typeof cell === "number" ? format(cell) : cell)));
    if (costs.length > 0) tables.push({ head, rows: cells });
    return { tables, results: { quality, costs } };
  },
});
