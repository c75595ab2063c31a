import type { JudgedQuery } from "./judged-set";

/** Means over queries, 0 to 1. */
export type Quality = { ndcg: number; recall: number; mrr: number };

const depth = 10;
/** Minimum grade of a document that counts as relevant for recall and reciprocal rank. */
const answerGrade = 2;

function gain(grade: number, rank: number): number {
  return (2 ** grade - 1) / Math.log2(rank + 2);
}

/** Returns nDCG@10, recall@10 and the reciprocal rank of the first relevant document, of a ranking of document ids. */
export function measureRanking(ranking: readonly string[], { grades }: JudgedQuery): Quality {
  const top = ranking.slice(0, depth);
  const ideal = Object.values(grades).sort((a, b) => b - a);
  const sum = (values: readonly number[]) =>
    values.slice(0, depth).reduce((total, grade, rank) => total + gain(grade, rank), 0);
  const isAnswer = (id: string) => (grades[id] ?? 0) >= answerGrade;
  const answers = Object.keys(grades).filter(isAnswer);
  const first = top.findIndex(isAnswer);
  return {
    ndcg: sum(top.map((id) => grades[id] ?? 0)) / sum(ideal),
    recall: top.filter(isAnswer).length / Math.min(depth, answers.length),
    mrr: first < 0 ? 0 : 1 / (first + 1),
  };
}

type RankFunction = (q: string) => readonly string[] | Promise<readonly string[]>;

/** Returns means over the queries of a ranking, from which unjudged documents are removed. */
export async function measureQuality(
  queries: readonly JudgedQuery[],
  documents: ReadonlySet<string>,
  rank: RankFunction,
): Promise<Quality> {
  const total = { ndcg: 0, recall: 0, mrr: 0 };
  for (const query of queries) {
    const ranking = (await rank(query.q)).filter((id) => documents.has(id));
    const { ndcg, recall, mrr } = measureRanking(ranking, query);
    total.ndcg += ndcg / queries.length;
    total.recall += recall / queries.length;
    total.mrr += mrr / queries.length;
  }
  return total;
}
