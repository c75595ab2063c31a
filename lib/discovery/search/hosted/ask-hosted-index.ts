import type { Clock } from "#lib/platform/clock";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { compareDocuments, type SearchDocument } from "../corpus";
import type { Found, LiveIndex } from "../live-index";
import { wellFormed } from "./passages";
import type { HostedIndex, HostedMatch } from "./store";

type AskContext = {
  hosted: HostedIndex;
  site: { vertical: string };
  clock: Clock;
  log: Log;
  /** Longest wait, in milliseconds. */
  timeoutMs?: number;
};

/** Longest wait for the hosted index, in milliseconds. */
const askTimeoutMs = 3_000;
/** How long an index that failed is left alone, so that not each search waits for it. */
const retryAfterMs = 10_000;
/** A document has several passages, so more of them are asked for than hits are wanted; at most so many. */
const passagesPerHit = 4;
const maxPassageCount = 100;
/** Longest query that is sent, in characters. */
const maxQueryLength = 1_000;

/** Indexes that failed when they were last asked, and when to ask again: an outage is one line in the log. */
type Outages = WeakMap<HostedIndex, { retryAtMs: number }>;

/** The documents of the matches that the site has, each with its best passage's score, in the contract's order. */
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
 * The best documents by the hosted index. Undefined where it does not answer in time, which the log says once, is left
 * alone after that, or knows none of the site's documents, as before its first sync.
 */
export async function askHostedIndex(
  { hosted, site, clock, log, timeoutMs = askTimeoutMs }: AskContext,
  index: LiveIndex<SearchDocument>,
  { q, limit }: { q: string; limit: number },
): Promise<Found<SearchDocument>[] | undefined> {
  const outages = processSingleton<Outages>("hosted-search-outages", () => new WeakMap());
  const outage = outages.get(hosted);
  if (outage && clock.monotonicMs() < outage.retryAtMs) return undefined;
  // While one search tries again, the others go by the index in memory.
  if (outage) outage.retryAtMs = clock.monotonicMs() + retryAfterMs;
  try {
    const count = Math.min(maxPassageCount, limit * passagesPerHit);
    const query = wellFormed(q.slice(0, maxQueryLength));
    const matches = await hosted.search(query, { vertical: site.vertical, limit: count, timeoutMs });
    if (outages.delete(hosted)) log.info("the hosted search answers again");
    const found = toFound(matches, index, limit);
    return found.length > 0 ? found : undefined;
  } catch (error) {
    const reason = (error as Error).message;
    if (!outages.has(hosted)) log.warn({ reason }, "the hosted search does not answer; the index in memory does");
    outages.set(hosted, { retryAtMs: clock.monotonicMs() + retryAfterMs });
    return undefined;
  }
}
