import { textWithOrigin } from "#lib/contract/example-origin";
import { replayUrl } from "#lib/replay/cassettes/index";
import { type CorpusContext, corpusIndex, documentsOfSite, textOf } from "./corpus";
import type { SearchDocument } from "./document";
import { expandQuery } from "./expand-query";
import { searchHostedIndex } from "./hosted/search-hosted-index";
import { type HostedIndex, hostedIndex } from "./hosted/store";
import { keepHostedIndexInSync } from "./hosted/sync-hosted-index";
import type { Found, LiveIndex } from "./live-index";
import { findNamedModels } from "./model-documents";
import { addFeedback } from "./relevance-feedback";
import type { SearchAnswer, SearchHit } from "./schemas";
import { termsOf, tokenize } from "./terms";

/** Longest snippet, in UTF-16 units, including ellipses. */
export const maxSnippetLength = 280;
const ellipsis = "…";
/** Longest passage: the rest of the snippet is for an ellipsis at both ends. */
const windowLength = maxSnippetLength - 2 * ellipsis.length;
/** How far before its first match a passage may begin, so that it begins with a sentence. */
const maxLeadLength = 100;
/** Weight of further matches of a term, relative to its first match. */
const repeatShare = 0.1;
/** Characters around a cut that are segmented into words, and the length of what is never cut. */
const marginLength = 120;

type Match = { start: number; end: number; term: string };

const word = /[a-z0-9]{2,}/gi;
const words = new Intl.Segmenter("en", { granularity: "word" });
const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

function matchesIn(text: string, weights: ReadonlyMap<string, number>): Match[] {
  const matches: Match[] = [];
  for (const { 0: found, index: start } of text.matchAll(word)) {
    const [term] = termsOf(found);
    if (term !== undefined && weights.has(term)) matches.push({ start, end: start + found.length, term });
  }
  return matches;
}

/** Returns the matches of the window with the highest total weight; the first one on ties. */
function bestMatches(matches: readonly Match[], weights: ReadonlyMap<string, number>): Match[] {
  const counts = new Map<string, number>();
  let best: { from: number; to: number; score: number } = { from: 0, to: 0, score: 0 };
  let score = 0;
  let from = 0;
  for (const [to, { term, end }] of matches.entries()) {
    const weight = weights.get(term) ?? 0;
    const count = counts.get(term) ?? 0;
    score += count === 0 ? weight : weight * repeatShare;
    counts.set(term, count + 1);
    while (end - (matches[from] as Match).start > windowLength && from < to) {
      const left = (matches[from++] as Match).term;
      const leftCount = (counts.get(left) as number) - 1;
      counts.set(left, leftCount);
      score -= (weights.get(left) ?? 0) * (leftCount === 0 ? 1 : repeatShare);
    }
    // The tolerance absorbs floating-point errors in the sums.
    if (score > best.score + 1e-9) best = { from, to: to + 1, score };
  }
  return matches.slice(best.from, best.to);
}

/** Returns where a passage begins: with the sentence of its first match if that is near, else with some context. */
function startOf(text: string, matches: readonly Match[]): number {
  const first = matches[0]?.start ?? 0;
  const last = matches.at(-1)?.end ?? 0;
  const spare = windowLength - (last - first);
  const earliest = Math.max(0, first - Math.min(spare, maxLeadLength));
  if (earliest === 0) return 0;
  const lead = text.slice(earliest, first);
  const sentence = /^[\s\S]*(?:[.!?]\s|\n)/.exec(lead);
  if (sentence) return earliest + sentence[0].length;
  const position = Math.floor(Math.max(earliest, first - Math.min(spare, maxLeadLength) / 2));
  const { start, end } = segmentAt(text, position);
  const begin = start === position || end > first ? start : end;
  // A long URL is cut rather than that a match is left out.
  return last - begin > windowLength ? first : begin;
}

/** Returns what is between spaces at a position, such as a URL; in a long text without any, the word, or the character. */
function segmentAt(text: string, position: number): { start: number; end: number } {
  const from = Math.max(0, position - marginLength);
  const near = text.slice(from, position + marginLength);
  const before = /\S*$/.exec(near.slice(0, position - from))?.[0].length ?? 0;
  const after = /^\S*/.exec(near.slice(position - from))?.[0].length ?? 0;
  if (before + after < marginLength) return { start: position - before, end: position + after };
  for (const segmenter of [words, characters]) {
    const found = segmenter.segment(near).containing(position - from);
    if (found && found.segment.length < marginLength) {
      return { start: from + found.index, end: from + found.index + found.segment.length };
    }
  }
  return { start: position, end: position };
}

/**
 * Returns the passage of a plain text that best matches a query, at most `maxSnippetLength` UTF-16 units on one line. It is
 * cut between words, with an ellipsis at each cut. Without a match, it is the beginning of the text. `weights` has the
 * query's terms and their weights.
 */
export function snippetOf(text: string, weights: ReadonlyMap<string, number>): string {
  const lines = text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
  const start = startOf(lines, bestMatches(matchesIn(lines, weights), weights));
  const limit = start + windowLength;
  const end = limit >= lines.length ? lines.length : segmentAt(lines, limit).start;
  const passage = lines.slice(start, end).replaceAll("\n", " ").trim();
  return `${start > 0 ? ellipsis : ""}${passage}${end < lines.length ? ellipsis : ""}`;
}

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
  if (kind === "model") return `${origin}/models/${slug.split("/").map(encodeURIComponent).join("/")}`;
  if (kind === "site") return `${origin}/${slug}`;
  return slug ? `${origin}/docs/${slug}` : `${origin}/docs`;
}

function toHit({ item, score }: Found<SearchDocument>, origin: string, weights: Map<string, number>): SearchHit {
  const { id, surface, kind, title } = item;
  const replay = surface === "replay" ? { replay_url: replayUrl(origin, id) } : {};
  const snippet = snippetOf(textWithOrigin(textOf(item), origin), weights);
  return { id, surface, kind, title, url: urlOf(item, origin), ...replay, score, snippet };
}

type InMemory = { found: Found<SearchDocument>[]; weights: Map<string, number>; corpusSize: number };

function rankInMemory(
  index: LiveIndex<SearchDocument>,
  { q, limit, partial = false }: SearchInput,
  { isFinal }: { isFinal: boolean },
): InMemory {
  const own = expandQuery(index.terms, q, { isPartial: partial });
  const ranking = {
    rank: (some: ReadonlyMap<string, number>, count: number) =>
      index.rank(some, count).map(({ item, score }) => ({ text: textOf(item), score })),
    inverseFrequency: (term: string) => index.inverseFrequency(term),
  };
  const terms = isFinal && !partial ? addFeedback(q, own, ranking) : own;
  const weights = new Map([...terms.keys()].map((term) => [term, index.inverseFrequency(term)]));
  return { found: index.rank(terms, limit), weights, corpusSize: index.size };
}

/** Returns the found documents, at most `limit`, with some models before all others. Without a model, they are unchanged. */
function withModelsFirst(
  found: Found<SearchDocument>[],
  named: readonly SearchDocument[],
  limit: number,
): Found<SearchDocument>[] {
  const at = found.findIndex(({ item }) => item.kind === "model");
  const first = found[at];
  if (!first || named.length === 0) return found;
  const rest = found.filter(({ item }) => !named.includes(item));
  rest.splice(at, 0, ...named.map((item) => ({ item, score: first.score })));
  return rest.slice(0, limit);
}

/** The hint for a query without words, on the pages and over MCP too. */
export const noWordsHint =
  'No results: the query has no word to search for. Use English words of at least two characters of a-z and 0-9; common words such as "the" are ignored.';
const noHitsHint =
  "No results. Try fewer or more general words, in English. GET /api/v1/cassettes lists the cassettes, GET /api/v1/vendors/search finds vendors by a part of their name, and /llms.txt lists the pages.";

/**
 * Returns the best matching cassettes, pages, vendors and models of the current site, best first; of models, those that the query
 * names first. They are ranked by the hosted index if one is configured and responds, else by the index in memory. Throws
 * AppError service_unavailable without a cassette store.
 */
export async function search(context: SearchContext, input: SearchInput): Promise<SearchAnswer> {
  const { catalogue, site, origin, clock, log, hosted = hostedIndex() } = context;
  const index = corpusIndex({ catalogue, site });
  const inMemory = await index.use(
    () => documentsOfSite(context),
    () => rankInMemory(index, input, { isFinal: hosted === undefined }),
  );
  const { weights, corpusSize } = inMemory;
  if (hosted) keepHostedIndexInSync(context, hosted, index);
  const hasWords = tokenize(input.q).length > 0;
  const usesHosted = hosted !== undefined && hasWords;
  const hostedFound = usesHosted ? await searchHostedIndex({ hosted, site, clock, log }, index, input) : undefined;
  const named = (await findNamedModels(context, input.q)).flatMap((id) => index.find(id) ?? []);
  const found = withModelsFirst(hostedFound ?? inMemory.found, named, input.limit);
  return {
    q: input.q,
    count: found.length,
    corpus_size: corpusSize,
    backend: hostedFound ? "hosted-ai-search" : "in-memory-bm25-lite",
    hits: found.map((one) => toHit(one, origin, weights)),
    ...(found.length === 0 && { hint: hasWords ? noHitsHint : noWordsHint }),
  };
}
