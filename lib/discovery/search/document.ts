/** A searchable cassette, page of the docs, page of the site, vendor or model. */
export type SearchDocument = {
  /**
   * `<folder>/<slug>` of a cassette, `docs/<slug>` of a page of the docs, `site/<path>` of another page of the site,
   * `vendors/<slug>` of a vendor, `models/<provider>/<id>` of a model.
   */
  id: string;
  kind: "cassette" | "page" | "site" | "vendor" | "model";
  /** `replay` for cassettes, `page` for the others. */
  surface: "replay" | "page";
  /** Of a page, its path under /docs, empty for the overview, or in the site; of a vendor, its slug; of a model, `<provider>/<id>`; empty for cassettes. */
  slug: string;
  title: string;
  /** A cassette's subtitle, a page's description, a vendor's domain, category and what it is, or a model's ids and end. */
  lead: string;
  /** Markdown: the prompt and the assistant's text of a cassette, the text of a page, or a vendor's latest report. */
  body: readonly string[];
};

/** Whether two documents with one id have the same content. */
export function isSameDocument(a: SearchDocument, b: SearchDocument): boolean {
  const isSameBody = a.body.length === b.body.length && a.body.every((text, index) => text === b.body[index]);
  return a.title === b.title && a.lead === b.lead && isSameBody;
}

/** Order of documents with the same score: replays before pages, then by id. */
export function compareDocuments(a: SearchDocument, b: SearchDocument): number {
  if (a.surface !== b.surface) return a.surface === "replay" ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
