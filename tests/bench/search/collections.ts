import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JudgedQuery, PlainDocument } from "./judged-set";

type Collection = { name: string; documents: PlainDocument[]; queries: JudgedQuery[] };

/** The files of public test collections: documents, queries and judgements, as the SMART system had them. */
const files = { Cranfield: ["cran.all.1400", "cran.qry", "cranqrel"], CISI: ["CISI.ALL", "CISI.QRY", "CISI.REL"] };

/** Reads entries that begin with `.I` and their number, and have fields such as `.T` and `.W`, each in lines of its own. */
function readEntries(text: string): { id: string; field: (mark: string) => string }[] {
  return text
    .split(/^\.I +/m)
    .slice(1)
    .map((entry) => {
      const parts = entry.split(/^\.([A-Z])\s*$/m);
      return { id: parts[0]!.trim(), field: (mark) => (parts[parts.indexOf(mark, 1) + 1] ?? "").trim() };
    });
}

/** Returns the relevant documents by query. A relevance of Cranfield is 1 to 4, or -1 or 5 for a document that is not relevant. */
function readJudgements(text: string): Map<string, Record<string, number>> {
  const judgements = new Map<string, Record<string, number>>();
  for (const line of text.split("\n")) {
    const [query = "", document = "", relevance] = line.trim().split(/\s+/);
    if (document === "" || Number(relevance) < 0 || Number(relevance) > 4) continue;
    judgements.set(query, { ...judgements.get(query), [document]: 1 });
  }
  return judgements;
}

/** Returns the collections whose files a folder has. The judgements of Cranfield count queries from 1, whatever their numbers. */
export function readCollections(folder: string): Collection[] {
  return Object.entries(files).flatMap(([name, [documentFile, queryFile, judgementFile]]) => {
    const read = (file = "") => readFileSync(join(folder, file), "utf8").replaceAll("\r", "");
    if (!existsSync(join(folder, documentFile!))) return [];
    const documents = readEntries(read(documentFile)).map(({ id, field }): PlainDocument => {
      return { id, title: field("T"), lead: "", body: field("W") };
    });
    const judgements = readJudgements(read(judgementFile));
    const queries = readEntries(read(queryFile)).flatMap(({ field }, index): JudgedQuery[] => {
      const grades = judgements.get(String(index + 1));
      return grades ? [{ q: field("W"), kind: "question", grades }] : [];
    });
    return [{ name, documents, queries }];
  });
}
