import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export type JudgedQuery = {
  q: string;
  kind: "keyword" | "question" | "paraphrase" | "typo";
  /** 1 to 3 for each document that is of use. */
  grades: Record<string, number>;
};

const folder = join(import.meta.dirname, "judged");

function read<T>(file: string): T {
  return parse(readFileSync(join(folder, file), "utf8")) as T;
}

/** Documents that the judgements range over, those of them that there are. */
export function judgedDocuments(existing: ReadonlySet<string>): Set<string> {
  return new Set(read<string[]>("documents.yaml").filter((id) => existing.has(id)));
}

/** The judged queries that have an answer among the documents. */
export function judgedQueries(documents: ReadonlySet<string>): JudgedQuery[] {
  return read<JudgedQuery[]>("queries.yaml").flatMap(({ grades, ...query }) => {
    const kept = Object.fromEntries(Object.entries(grades).filter(([id]) => documents.has(id)));
    return Math.max(0, ...Object.values(kept)) >= 2 ? [{ ...query, grades: kept }] : [];
  });
}
