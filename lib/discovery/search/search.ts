import type { Clock } from "#lib/platform/clock";
import type { Log } from "#lib/platform/log";
import { replayUrl } from "#lib/replay/cassettes/index";
import { type CorpusContext, corpusIndex, documentsOfSite, type SearchDocument, textOf } from "./corpus";
import { searchHostedIndex } from "./hosted/search-hosted-index";
import { type HostedIndex, hostedIndex } from "./hosted/store";
import { keepHostedIndexInSync } from "./hosted/sync-hosted-index";
import type { Found, LiveIndex } from "./live-index";
import type { SearchAnswer, SearchHit } from "./schemas";
import { snippetOf } from "./snippet";
import { queryTerms } from "./terms";

export type SearchContext = CorpusContext & {
  origin: string;
  clock: Clock;
  log: Log;
  /** Default: the configured index. */
  hosted?: HostedIndex;
};

type SearchInput = {
  q: string;
  /** Maximum number of hits, 1 to 50. */
  limit: number;
};

/** Most distinct terms of a query; further ones are ignored. */
const maxTermCount = 64;

/** Returns the URL of the HTML page of a hit. */
function urlOf({ id, surface, slug }: SearchDocument, origin: string): string {
  if (surface === "replay") return `${origin}/replay/${id}`;
  return slug ? `${origin}/docs/${slug}` : `${origin}/docs`;
}

function toHit({ item, score }: Found<SearchDocument>, origin: string, weights: Map<string, number>): SearchHit {
  const { id, surface, title } = item;
  const replay = surface === "replay" ? { replay_url: replayUrl(origin, id) } : {};
  return { id, surface, title, url: urlOf(item, origin), ...replay, score, snippet: snippetOf(textOf(item), weights) };
}

type InMemory = { found: Found<SearchDocument>[]; weights: Map<string, number>; corpusSize: number };

function rankInMemory(index: LiveIndex<SearchDocument>, { q, limit }: SearchInput): InMemory {
  const terms = queryTerms(q, maxTermCount);
  const weights = new Map([...terms.keys()].map((term) => [term, index.inverseFrequency(term)]));
  return { found: index.rank(terms, limit), weights, corpusSize: index.size };
}

/**
 * Returns the best matching cassettes and pages of the current site, best first. They are ranked by the hosted index if one
 * is configured and responds, else by the index in memory. Throws AppError service_unavailable without a cassette store.
 */
export async function search(context: SearchContext, input: SearchInput): Promise<SearchAnswer> {
  const { catalogue, site, origin, clock, log, hosted = hostedIndex() } = context;
  const index = corpusIndex({ catalogue, site });
  const inMemory = await index.use(
    () => documentsOfSite({ catalogue, site }),
    () => rankInMemory(index, input),
  );
  const { weights, corpusSize } = inMemory;
  if (hosted) keepHostedIndexInSync({ catalogue, clock, log, hosted }, index);
  const usesHosted = hosted !== undefined && weights.size > 0;
  const hostedFound = usesHosted ? await searchHostedIndex({ hosted, site, clock, log }, index, input) : undefined;
  const found = hostedFound ?? inMemory.found;
  return {
    q: input.q,
    count: found.length,
    corpus_size: corpusSize,
    backend: hostedFound ? "hosted-ai-search" : "in-memory-bm25-lite",
    hits: found.map((one) => toHit(one, origin, weights)),
  };
}
