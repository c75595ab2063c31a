import type { Page } from "#lib/discovery/content/index";
import { processSingleton } from "#lib/platform/process-singleton";
import { type CassetteSummary, type Catalogue, cassettesOfSite, type Vertical } from "#lib/replay/cassettes/index";
import { LiveIndex, SiteIndexes } from "./live-index";
import { plainText } from "./plain-text";

export type CorpusContext = { catalogue: Catalogue; site: { vertical: Vertical } };

/** A searchable cassette or page. */
export type SearchDocument = {
  /** `<folder>/<slug>` of a cassette, `docs/<slug>` of a page. */
  id: string;
  surface: "replay" | "page";
  /** Path under /docs; empty for the overview and for cassettes. */
  slug: string;
  title: string;
  /** The cassette's subtitle, or the page's description. */
  lead: string;
  /** Markdown: the prompt and the assistant's text of a cassette, or the text of a page. */
  body: readonly string[];
};

const documents = new WeakMap<CassetteSummary | Page, SearchDocument>();

/** Returns the same document for the same source, so that unchanged documents are recognized by identity. */
function documentOf<Source extends CassetteSummary | Page>(
  source: Source,
  describe: (source: Source) => SearchDocument,
): SearchDocument {
  const known = documents.get(source);
  if (known) return known;
  const document = describe(source);
  documents.set(source, document);
  return document;
}

export function documentOfCassette(summary: CassetteSummary): SearchDocument {
  return documentOf(summary, ({ id, title, subtitle, prompt, text }) => ({
    id,
    surface: "replay",
    slug: "",
    title,
    lead: subtitle,
    body: [prompt, text],
  }));
}

function documentOfPage(page: Page): SearchDocument {
  return documentOf(page, ({ slug, title, description, markdown }) => ({
    id: `docs/${slug || "index"}`,
    surface: "page",
    slug,
    title,
    lead: description,
    body: [markdown],
  }));
}

/** Returns the pages of content/docs as documents. */
export async function pageDocuments(): Promise<SearchDocument[]> {
  // Loaded on demand, so that importing search does not load the markdown renderer.
  const { loadPages } = await import("#lib/discovery/content/index");
  return (await loadPages()).map(documentOfPage);
}

/** Returns the documents that a site searches: its cassettes and all pages. */
export async function documentsOfSite(context: CorpusContext): Promise<SearchDocument[]> {
  const cassettes = (await cassettesOfSite(context)).map(documentOfCassette);
  return [...cassettes, ...(await pageDocuments())];
}

/** Returns the plain text of a document without its title, from which snippets are taken. */
export function textOf({ surface, lead, body }: SearchDocument): string {
  const parts = surface === "page" ? [lead, ...body.map(plainText)] : body.map(plainText);
  return parts.join("\n\n");
}

/** Order of documents with the same score: replays before pages, then by id. */
export function compareDocuments(a: SearchDocument, b: SearchDocument): number {
  if (a.surface !== b.surface) return a.surface === "replay" ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function isSame(a: SearchDocument, b: SearchDocument): boolean {
  return a.title === b.title && a.lead === b.lead && a.body.every((text, index) => text === b.body[index]);
}

/** Creates an empty index of documents. */
function newCorpusIndex(): LiveIndex<SearchDocument> {
  return new LiveIndex({
    idOf: ({ id }) => id,
    partsOf: ({ title, lead, body }) => ({ head: `${title}\n${lead}`, body: body.map(plainText).join("\n") }),
    isSame,
    compare: compareDocuments,
  });
}

/** Returns the site's index in this process; each use brings it up to date. */
export function corpusIndex(context: CorpusContext): LiveIndex<SearchDocument> {
  return processSingleton("search-indexes", () => new SiteIndexes(newCorpusIndex)).indexOf(context);
}
