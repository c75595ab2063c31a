import type { Page } from "#lib/discovery/content/index";
import { sitePages } from "#lib/discovery/documents/index";
import { perObject } from "#lib/platform/per-object";
import { processSingleton } from "#lib/platform/process-singleton";
import { type CassetteSummary, type Catalogue, cassettesOfSite, type Vertical } from "#lib/replay/cassettes/index";
import { compareDocuments, isSameDocument, type SearchDocument } from "./document";
import { LiveIndex, SiteIndexes } from "./live-index";
import { modelDocuments } from "./model-documents";
import type { Parts } from "./ranking/term-index";
import { splitLabels, termOf, termsOf } from "./terms";
import { type VendorsContext, vendorDocuments } from "./vendor-documents";

const fence = /^ {0,3}(?:`{3,}|~{3,})/;
/** A thematic break, or the line under a table's header: only these characters, and three marks in a row. */
const ruleCharacters = /^[\s|:*_-]+$/;
const ruleMarks = /[-*_]{3}/;
const blockMarks = /^\s*(?:>\s?|#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+)+/;
/**
 * In one line or several: code, which is kept as it is; a link or image, of which its text is kept; an escaped character, which
 * is kept; or marks of emphasis, which are removed. The bounds keep matching linear.
 */
const code = /(?<!`)(`{1,2})(?!`)((?:[^`]|(?<!`)`(?!`)){1,300}?)(?<!`)\1(?!`)/;
const link = /!?\[((?:[^[\]`]|`[^`]{0,300}`){0,500})\]\([^()\s]{0,2000}(?:\s[^()\n]{0,300})?\)/;
const escaped = /\\([\\`*_{}[\]()#+.!|-])/;
const marks = /\*{2,3}|`+|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)/;
const inline = new RegExp([code, link, escaped, marks].map(({ source }) => source).join("|"), "g");

const isRule = (line: string) => ruleCharacters.test(line) && ruleMarks.test(line);

/** Returns the cells of a table's row; none of another line. */
function cellsOf(line: string): string[] {
  const row = line.trim();
  if (!row.startsWith("|")) return [];
  const cells = row.slice(1).split(/(?<!\\)\|/);
  if (row.endsWith("|") && cells.length > 1) cells.pop();
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** Returns a row as a sentence: `a: b.` in a table of two columns, else with the columns' names, `a - second: b; third: c.` */
function plainRow([first = "", ...cells]: string[], [, ...names]: string[]): string {
  const isPair = cells.length < 2;
  const named = cells.map((cell, at) => (isPair || cell === "" || !names[at] ? cell : `${names[at]}: ${cell}`));
  const rest = named.filter((cell) => cell !== "").join("; ");
  const text = first && rest ? `${first}${isPair ? ":" : " -"} ${rest}` : first || rest;
  return text === "" || /[.!?]$/.test(text) ? text : `${text}.`;
}

function plainInline(text: string): string {
  return text.replace(inline, (_match, _fence, verbatim?: string, label?: string, character?: string) => {
    if (verbatim !== undefined) return verbatim.replace(/^ (.*\S.*) $/s, "$1");
    return label === undefined ? (character ?? "") : plainInline(label);
  });
}

/** Returns the text that is indexed of markdown: as `plainText`, but names the columns of a table once and not in each row. */
export function indexedText(markdown: string): string {
  return plainText(markdown, { hasSentences: false });
}

/** Returns markdown without its markup, each row of a table as a sentence. Code stays unchanged. */
export function plainText(markdown: string, { hasSentences = true } = {}): string {
  let isCode = false;
  const parts: string[] = [];
  let paragraph: string[] = [];
  let columns: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) parts.push(plainInline(paragraph.join("\n")));
    paragraph = [];
  };
  const lines = markdown.split("\n");
  for (const [at, line] of lines.entries()) {
    const isFence = fence.test(line);
    if (isFence) isCode = !isCode;
    const cells = cellsOf(line);
    const isHeader = hasSentences && cells.length > 0 && isRule(lines[at + 1] ?? "");
    if (isHeader || cells.length === 0) columns = cells;
    const isOmitted = isFence || isCode || isHeader || isRule(line);
    const plain = isOmitted ? "" : cells.length > 0 ? plainRow(cells, columns) : line.replace(blockMarks, "");
    if (plain.trim() !== "") paragraph.push(plain);
    else {
      endParagraph();
      if (!isFence) parts.push(isCode ? line : "");
    }
  }
  endParagraph();
  return parts.join("\n");
}

export type CorpusContext = VendorsContext & { catalogue: Catalogue; site: { vertical: Vertical } };

/** Returns the same document for the same cassette, so that unchanged documents are recognized by identity. */
export const documentOfCassette = perObject(
  ({ id, title, subtitle, prompt, text }: CassetteSummary): SearchDocument => ({
    id,
    kind: "cassette",
    surface: "replay",
    slug: "",
    title,
    lead: subtitle,
    body: [prompt, text],
  }),
);

const documentOfPage = ({ slug, title, description, markdown }: Page): SearchDocument => ({
  id: `docs/${slug || "index"}`,
  kind: "page",
  surface: "page",
  slug,
  title,
  lead: description,
  body: [markdown],
});

const documentsOfPages = perObject((pages: readonly Page[]): readonly SearchDocument[] => [
  ...pages.map(documentOfPage),
  ...siteDocuments,
]);

/** The pages of the site that are not pages of the docs. */
const siteDocuments = Object.entries(sitePages).map(([path, { title, description }]): SearchDocument => {
  const slug = path.slice(1);
  return { id: `site/${slug}`, kind: "site", surface: "page", slug, title, lead: description, body: [] };
});

/** Returns the pages of content/docs and of the site as documents; the same array for the same pages. */
export async function pageDocuments(): Promise<readonly SearchDocument[]> {
  // Loaded on demand, so that importing search does not load the markdown renderer.
  const { loadPages } = await import("#lib/discovery/content/index");
  return documentsOfPages(await loadPages());
}

type Sources = Record<"vendors" | "pages" | "models" | "documents", readonly SearchDocument[]>;

/** The last documents for each list of cassettes. */
const lastDocuments = new WeakMap<readonly CassetteSummary[], Sources>();

/** Returns the documents that a site searches: its cassettes, all pages, the vendors and models. The same array if nothing changed. */
export async function documentsOfSite(context: CorpusContext): Promise<readonly SearchDocument[]> {
  const [cassettes, pages, vendors, models] = await Promise.all([
    cassettesOfSite(context),
    pageDocuments(),
    vendorDocuments(context),
    modelDocuments(context),
  ]);
  const last = lastDocuments.get(cassettes);
  if (last && last.vendors === vendors && last.pages === pages && last.models === models) return last.documents;
  const documents = [...cassettes.map(documentOfCassette), ...pages, ...vendors, ...models];
  lastDocuments.set(cassettes, { vendors, pages, models, documents });
  return documents;
}

/** Returns the plain text of a document without its title, from which snippets are taken. */
export function textOf({ surface, lead, body }: Pick<SearchDocument, "surface" | "lead" | "body">): string {
  const parts =
    surface === "page" ? [lead, ...body.map((text) => plainText(text))] : body.map((text) => plainText(text));
  return parts.join("\n\n");
}

/**
 * Factors of the scores of decision records and benchmarks, which explain less than the pages on their subject, of vendors and
 * pages of the site, which are what they describe, of models, whose names have words such as chat and command, and of the
 * overview, which is about what every page names.
 */
const [recordWeight, namedWeight, modelWeight, overviewWeight] = [0.6, 1.2, 0.7, 1.14];
/** Pages that record why and how fast something is, rather than how to use it. */
const record = /^docs\/(?:decisions\/|benchmarks-)/;

/** Returns the factor of a document's score, by its id. */
export function weightOf(id: string): number {
  if (/^(?:vendors|site)\//.test(id)) return namedWeight;
  if (id.startsWith("models/")) return modelWeight;
  if (id === "docs/index") return overviewWeight;
  return record.test(id) ? recordWeight : 1;
}

/** Returns the terms for neighbouring labels of a name, which are the words of a query like `stripe.com` or `gpt-5` in one. */
function neighbourKeys(name: string): string[] {
  const labels = splitLabels(name);
  return labels.slice(1).map((label, at) => termOf(`${labels[at]}${label}`));
}

const heading = /^#{2,4} .+$/gm;
/** A page's headings are indexed once more for each of these characters of its text, so that they count in a long page too. */
const emphasisLength = 4_000;

/** Returns what is indexed of a document's text once more: the headings of a page; empty for the others. */
export function emphasisOf({ kind, body }: Pick<SearchDocument, "kind" | "body">): string {
  if (kind !== "page") return "";
  const markdown = body.join("\n");
  const headings = plainText((markdown.match(heading) ?? []).join("\n"));
  return `\n${headings}`.repeat(Math.round(markdown.length / emphasisLength));
}

/** How often a word of the text of a cassette or report counts at most: it repeats the words of its example. */
const maxConversationFrequency = 7;

/** Returns how often a word of a document's text counts at most, by its id. */
export function maxBodyFrequencyOf(id: string): number {
  return id.startsWith("docs/") ? Number.POSITIVE_INFINITY : maxConversationFrequency;
}

/** Returns what is indexed of a document. Vendors and models are not counted, so that their number affects no ranking of the rest. */
function partsOf({ id, kind, slug, title, lead, body }: SearchDocument): Parts {
  const text = body.map(indexedText).join("\n");
  const isCounted = kind !== "vendor" && kind !== "model";
  const options = { weight: weightOf(id), maxBodyFrequency: maxBodyFrequencyOf(id), isCounted };
  if (kind === "model") {
    const name = `${title} ${slug.slice(slug.indexOf("/") + 1)}`;
    return { head: "", body: "", keys: neighbourKeys(name), bodyKeys: termsOf(name), ...options };
  }
  if (kind === "vendor") {
    const name = `${title}\n${slug}`;
    return {
      head: name,
      body: `${lead}\n${text}`,
      name,
      keys: neighbourKeys(lead.split(",")[0] as string),
      ...options,
    };
  }
  return { head: `${title}\n${lead}`, body: `${text}${emphasisOf({ kind, body })}`, ...options };
}

/** Creates an empty index of documents. */
function newCorpusIndex(): LiveIndex<SearchDocument> {
  return new LiveIndex({
    idOf: ({ id }) => id,
    partsOf,
    isSame: isSameDocument,
    compare: compareDocuments,
    isVersioned: ({ kind }) => kind !== "vendor" && kind !== "model",
  });
}

/** Returns the site's index in this process; each use brings it up to date. */
export function corpusIndex(context: Pick<CorpusContext, "catalogue" | "site">): LiveIndex<SearchDocument> {
  return processSingleton("search-indexes", () => new SiteIndexes(newCorpusIndex)).indexOf(context);
}
