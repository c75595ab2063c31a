import { textWithOrigin } from "#lib/contract/example-origin";
import { replayUrl } from "#lib/replay/cassettes/index";
import { type CorpusContext, corpusIndex, documentsOfSite, textOf } from "./corpus";
import type { SearchDocument } from "./document";
import { expandQuery } from "./expand-query";
import { searchHostedIndex } from "./hosted/search-hosted-index";
import { type HostedIndex, hostedIndex } from "./hosted/store";
import { keepHostedIndexInSync } from "./hosted/sync-hosted-index";
import type { Found, LiveIndex } from "./live-index";
import type { SearchAnswer, SearchHit } from "./schemas";
import { snippetOf } from "./snippet";
import { tokenize } from "./terms";

export type SearchContext = CorpusContext & {
  origin: string;
  /** Default: the configured index. */
  hosted?: HostedIndex;
};

type SearchInput = {
  q: string;
  /** Maximum number of hits, 1 to 50. */
  limit: number;
  /** Whether the last word is still being typed. Default: false. */
  partial?: boolean;
};

/** Returns the URL of the HTML page of a hit. */
function urlOf({ id, kind, slug }: SearchDocument, origin: string): string {
  if (kind === "cassette") return `${origin}/replay/${id}`;
  if (kind === "vendor") return `${origin}/vendors/${slug}`;
  return slug ? `${origin}/docs/${slug}` : `${origin}/docs`;
}

function toHit({ item, score }: Found<SearchDocument>, origin: string, weights: Map<string, number>): SearchHit {
  const { id, surface, kind, title } = item;
  const replay = surface === "replay" ? { replay_url: replayUrl(origin, id) } : {};
  const snippet = textWithOrigin(snippetOf(textOf(item), weights), origin);
  return { id, surface, kind, title, url: urlOf(item, origin), ...replay, score, snippet };
}

type InMemory = { found: Found<SearchDocument>[]; weights: Map<string, number>; corpusSize: number };

function rankInMemory(index: LiveIndex<SearchDocument>, { q, limit, partial = false }: SearchInput): InMemory {
  const terms = expandQuery(index.terms, q, { isPartial: partial });
  const weights = new Map([...terms.keys()].map((term) => [term, index.inverseFrequency(term)]));
  return { found: index.rank(terms, limit), weights, corpusSize: index.size };
}

/** The hint for a query without words, on the pages and over MCP too. */
export const noWordsHint =
  'No results: the query has no word to search for. Use English words of at least two characters of a-z and 0-9; common words such as "the" are ignored.';
const noHitsHint =
  "No results. Try fewer or more general words, in English. GET /api/v1/cassettes lists the cassettes, GET /api/v1/vendors/search finds vendors by a part of their name, and /llms.txt lists the pages.";

/**
 * Returns the best matching cassettes, pages and vendors of the current site, best first. They are ranked by the hosted index
 * if one is configured and responds, else by the index in memory. Throws AppError service_unavailable without a cassette store.
 */
export async function search(context: SearchContext, input: SearchInput): Promise<SearchAnswer> {
  const { catalogue, site, origin, clock, log, hosted = hostedIndex() } = context;
  const index = corpusIndex({ catalogue, site });
  const inMemory = await index.use(
    () => documentsOfSite(context),
    () => rankInMemory(index, input),
  );
  const { weights, corpusSize } = inMemory;
  if (hosted) keepHostedIndexInSync(context, hosted, index);
  const hasWords = tokenize(input.q).length > 0;
  const usesHosted = hosted !== undefined && hasWords;
  const hostedFound = usesHosted ? await searchHostedIndex({ hosted, site, clock, log }, index, input) : undefined;
  const found = hostedFound ?? inMemory.found;
  return {
    q: input.q,
    count: found.length,
    corpus_size: corpusSize,
    backend: hostedFound ? "hosted-ai-search" : "in-memory-bm25-lite",
    hits: found.map((one) => toHit(one, origin, weights)),
    ...(found.length === 0 && { hint: hasWords ? noHitsHint : noWordsHint }),
  };
}
