import type { Clock } from "#lib/platform/clock";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { compareDocuments, type SearchDocument } from "../document";
import type { Found, LiveIndex } from "../live-index";
import { wellFormed } from "./passages";
import type { HostedIndex, HostedMatch } from "./store";

type SearchContext = { hosted: HostedIndex; site: { vertical: string }; clock: Clock; log: Log; timeoutMs?: number };

/** Timeout of a search, in milliseconds. */
const searchTimeoutMs = 3_000;
/** How long the index is not called after a failure, in milliseconds, so that not every search waits for it. */
const retryAfterMs = 10_000;
/** A document has several passages, so more passages than hits are requested, up to a maximum. */
const passagesPerHit = 4;
const maxPassageCount = 100;
/** Longest query sent, in characters. */
const maxQueryLength = 1_000;

/** Indexes whose last call failed, and when to call them again; an outage is logged once. */
type Outages = WeakMap<HostedIndex, { retryAtMs: number }>;

/** Returns the matched documents that the site has, each with the score of its best passage, best first. */
function toFound(
  matches: readonly HostedMatch[],
  index: LiveIndex<SearchDocument>,
  limit: number,
): Found<SearchDocument>[] {
  const scores = new Map<string, number>();
  for (const { document, score } of matches) scores.set(document, Math.max(score, scores.get(document) ?? 0));
  const found = [...scores].flatMap(([id, score]) => {
    const item = index.find(id);
    return item ? { item, score } : [];
  });
  return found.sort((a, b) => b.score - a.score || compareDocuments(a.item, b.item)).slice(0, limit);
}

/**
 * Returns the best documents by the hosted index. Undefined if it does not respond in time, which is logged once, if a
 * recent call failed, or if it has none of the site's documents, as before its first sync.
 */
export async function searchHostedIndex(
  { hosted, site, clock, log, timeoutMs = searchTimeoutMs }: SearchContext,
  index: LiveIndex<SearchDocument>,
  { q, limit }: { q: string; limit: number },
): Promise<Found<SearchDocument>[] | undefined> {
  const outages = processSingleton<Outages>("hosted-search-outages", () => new WeakMap());
  const outage = outages.get(hosted);
  if (outage && clock.monotonicMs() < outage.retryAtMs) return undefined;
  // While one search retries, the others use the index in memory.
  if (outage) outage.retryAtMs = clock.monotonicMs() + retryAfterMs;
  try {
    const count = Math.min(maxPassageCount, limit * passagesPerHit);
    const query = wellFormed(q.slice(0, maxQueryLength));
    const matches = await hosted.search(query, { vertical: site.vertical, limit: count, timeoutMs });
    if (outages.delete(hosted)) log.info("the hosted search responds again");
    const found = toFound(matches, index, limit);
    return found.length > 0 ? found : undefined;
  } catch (error) {
    const reason = (error as Error).message;
    if (!outages.has(hosted)) log.warn({ reason }, "the hosted search does not respond; using the index in memory");
    outages.set(hosted, { retryAtMs: clock.monotonicMs() + retryAfterMs });
    return undefined;
  }
}
