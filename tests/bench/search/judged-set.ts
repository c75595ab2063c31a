import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export type JudgedQuery = {
  q: string;
  kind: "keyword" | "question" | "paraphrase" | "typo";
  /** Grades from 1 to 3 of the relevant documents. */
  grades: Record<string, number>;
};

const folder = join(import.meta.dirname, "judged");

function read<T>(file: string): T {
  return parse(readFileSync(join(folder, file), "utf8")) as T;
}

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
