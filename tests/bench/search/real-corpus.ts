import { pino } from "pino";
import { documentOfCassette, emphasisOf, pageDocuments, plainText } from "#lib/discovery/search/corpus";
import type { SearchDocument } from "#lib/discovery/search/document";
import { Catalogue, folderStore } from "#lib/replay/cassettes/index";

/** Returns the bundled cassettes of all verticals and all pages. */
export async function realCorpus(): Promise<SearchDocument[]> {
  const catalogue = new Catalogue({
    store: { ...folderStore("content/cassettes"), watch: undefined },
    log: pino({ level: "silent" }),
    monotonicMs: () => performance.now(),
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
  const cassettes = (await catalogue.list()).map(documentOfCassette);
  return [...cassettes, ...(await pageDocuments())];
}

/** A document as every engine receives it: the same plain text in the same three fields. Only ours uses `emphasis`. */
export type PlainDocument = { id: string; title: string; lead: string; body: string; emphasis?: string };

export function toPlain(document: SearchDocument): PlainDocument {
  const { id, title, lead, body } = document;
  return { id, title, lead, body: body.map(plainText).join("\n\n"), emphasis: emphasisOf(document) };
}
