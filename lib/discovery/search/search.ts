import type { Clock } from "#lib/platform/clock";
import type { Log } from "#lib/platform/log";
import { replayUrl } from "#lib/replay/cassettes/index";
import { type CorpusContext, corpusIndex, documentsOfSite, type SearchDocument, textOf } from "./corpus";
import { askHostedIndex } from "./hosted/ask-hosted-index";
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
  /** In place of the one that the configuration names. */
  hosted?: HostedIndex;
};

type SearchInput = {
  q: string;
  /** Most hits, 1 to 50. */
  limit: number;
};

/** Different terms of a query that are looked at, the first ones. */
const maxTermCount = 64;

/** Where a person reads the hit. */
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
 * The cassettes and pages of the current site that fit best, best first. The hosted index ranks them where one is
 * configured and answers, else the one in memory. Throws AppError service_unavailable without a cassette store.
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
  const isAsked = hosted !== undefined && weights.size > 0;
  const asked = isAsked ? await askHostedIndex({ hosted, site, clock, log }, index, input) : undefined;
  const found = asked ?? inMemory.found;
  return {
    q: input.q,
    count: found.length,
    corpus_size: corpusSize,
    backend: asked ? "hosted-ai-search" : "in-memory-bm25-lite",
    hits: found.map((one) => toHit(one, origin, weights)),
  };
}
