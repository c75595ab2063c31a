import { beforeAll, describe, expect, it } from "vitest";
import { engines } from "#tests/bench/search/engines";
import {
  isOfVisitedSite,
  type JudgedQuery,
  judgedDocuments,
  judgedQueries,
  measureQuality,
  measureRanking,
  type PlainDocument,
  realCorpus,
  visitorQueries,
} from "#tests/bench/search/judged-set";

/** Slightly below the measured value, because added pages change the weights of words. */
const ndcgFloor = 0.86;
const visitorFloor = 0.89;

describe("the ranking of the judged queries", () => {
  let documents: PlainDocument[];
  let judged: Set<string>;
  let queries: JudgedQuery[];
  beforeAll(async () => {
    documents = await realCorpus();
    judged = judgedDocuments(new Set(documents.map(({ id }) => id)));
    queries = judgedQueries(judged);
  });

  async function ndcgOf(name: "tapedeck" | "plain BM25"): Promise<number> {
    const engine = engines[name]();
    for (const document of documents) await engine.add(document);
    engine.finish();
    return (await measureQuality(queries, judged, (q) => engine.rank(q, documents.length))).ndcg;
  }

  it("answers the queries of visitors, with the best page among the first three", async () => {
    const engine = engines.tapedeck();
    const visited = documents.filter(isOfVisitedSite);
    for (const document of visited) await engine.add(document);
    engine.finish();
    const all = new Set(visited.map(({ id }) => id));
    for (const { q, grades } of visitorQueries()) {
      for (const id of Object.keys(grades)) expect(all).toContain(id);
      const best = Object.keys(grades).filter((id) => grades[id] === 3);
      const first = (await engine.rank(q, 3)) as string[];
      expect([q, first.some((id) => best.includes(id)), first]).toEqual([q, true, first]);
    }
    const { ndcg } = await measureQuality(visitorQueries(), all, (q) => engine.rank(q, visited.length));
    expect(ndcg).toBeGreaterThan(visitorFloor);
  });

  it("uses at least a hundred queries, all with existing documents", () => {
    expect(queries.length).toBeGreaterThanOrEqual(100);
    expect(judged.size).toBeGreaterThanOrEqual(50);
    for (const { grades } of queries) {
      for (const grade of Object.values(grades)) expect([1, 2, 3]).toContain(grade);
    }
  });

  it("stays above its minimum, and above BM25 without stems and heads", async () => {
    const ndcg = await ndcgOf("tapedeck");
    expect(ndcg).toBeGreaterThan(ndcgFloor);
    expect(ndcg).toBeGreaterThan((await ndcgOf("plain BM25")) + 0.03);
  });
});

describe("the measures", () => {
  const query: JudgedQuery = { q: "x", kind: "keyword", grades: { best: 3, good: 2, bit: 1 } };

  it("are 1 for the ideal order and 0 without any relevant hit", () => {
    expect(measureRanking(["best", "good", "bit"], query)).toEqual({ ndcg: 1, recall: 1, mrr: 1 });
    expect(measureRanking(["other"], query)).toEqual({ ndcg: 0, recall: 0, mrr: 0 });
  });

  it("match a ranking computed by hand", () => {
    const { ndcg, recall, mrr } = measureRanking(["other", "bit", "best"], query);
    expect(ndcg).toBeCloseTo((1 / Math.log2(3) + 7 / 2) / (7 + 3 / Math.log2(3) + 1 / 2), 10);
    expect([recall, mrr]).toEqual([1 / 2, 1 / 3]);
  });
});
