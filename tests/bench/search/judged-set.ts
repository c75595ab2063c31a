import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { parse } from "yaml";
import { documentOfCassette, emphasisOf, indexedText, pageDocuments } from "#lib/discovery/search/corpus";
import type { SearchDocument } from "#lib/discovery/search/document";
import { Catalogue, folderStore } from "#lib/replay/cassettes/index";

/** A document as every engine receives it: the same plain text in the same three fields. Only ours uses `emphasis`. */
export type PlainDocument = { id: string; title: string; lead: string; body: string; emphasis?: string };

function toPlain(document: SearchDocument): PlainDocument {
  const { id, title, lead, body } = document;
  return { id, title, lead, body: body.map(indexedText).join("\n\n"), emphasis: emphasisOf(document) };
}

/** Returns the bundled cassettes of all verticals and all pages. */
export async function realCorpus(): Promise<PlainDocument[]> {
  const catalogue = new Catalogue({
    store: { ...folderStore("content/cassettes"), watch: undefined },
    log: pino({ level: "silent" }),
    monotonicMs: () => performance.now(),
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
  const cassettes = (await catalogue.list()).map(documentOfCassette);
  return [...cassettes, ...(await pageDocuments())].map(toPlain);
}

export type JudgedQuery = {
  q: string;
  kind: "keyword" | "question" | "paraphrase" | "typo";
  /** Grades from 1 to 3 of the relevant documents. */
  grades: Record<string, number>;
};

const read = <T>(file: string) => parse(readFileSync(join(import.meta.dirname, "judged", file), "utf8")) as T;

/** Returns the judged documents that exist. */
export function judgedDocuments(existing: ReadonlySet<string>): Set<string> {
  return new Set(read<string[]>("documents.yaml").filter((id) => existing.has(id)));
}

/** Returns the judged queries that have a relevant document among these. */
export function judgedQueries(documents: ReadonlySet<string>): JudgedQuery[] {
  return read<JudgedQuery[]>("queries.yaml").flatMap(({ grades, ...query }) => {
    const kept = Object.fromEntries(Object.entries(grades).filter(([id]) => documents.has(id)));
    return Math.max(0, ...Object.values(kept)) >= 2 ? [{ ...query, grades: kept }] : [];
  });
}

/** Whether a document is of the site that the queries of visitors were made on. */
export function isOfVisitedSite({ id }: { id: string }): boolean {
  return /^(?:docs|developer-tools)\//.test(id);
}

/** Returns the queries of visitors, which are judged over all pages and the cassettes of one site. */
export function visitorQueries(): JudgedQuery[] {
  return read<JudgedQuery[]>("visitors.yaml");
}

/** Means over queries, 0 to 1. */
export type Quality = { ndcg: number; recall: number; mrr: number };

const depth = 10;
/** Minimum grade of a document that counts as relevant for recall and reciprocal rank. */
const answerGrade = 2;

/** Returns nDCG@10, recall@10 and the reciprocal rank of the first relevant document, of a ranking of document ids. */
export function measureRanking(ranking: readonly string[], { grades }: JudgedQuery): Quality {
  const top = ranking.slice(0, depth);
  const ideal = Object.values(grades).sort((a, b) => b - a);
  const gains = (values: readonly number[]) =>
    values.slice(0, depth).reduce((total, grade, rank) => total + (2 ** grade - 1) / Math.log2(rank + 2), 0);
  const isAnswer = (id: string) => (grades[id] ?? 0) >= answerGrade;
  const answers = Object.keys(grades).filter(isAnswer);
  const first = top.findIndex(isAnswer);
  return {
    ndcg: gains(top.map((id) => grades[id] ?? 0)) / gains(ideal),
    recall: top.filter(isAnswer).length / Math.min(depth, answers.length),
    mrr: first < 0 ? 0 : 1 / (first + 1),
  };
}

/** Returns means over the queries of a ranking, from which unjudged documents are removed. */
export async function measureQuality(
  queries: readonly JudgedQuery[],
  documents: ReadonlySet<string>,
  rank: (q: string) => readonly string[] | Promise<readonly string[]>,
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
