import { LRUCache } from "lru-cache";
import { hourMs, minuteMs } from "#lib/platform/time";
import { type FetchFailure, isRunFailure } from "./fetch-failure";

/** The rules of an origin's robots.txt, or why they are unknown. */
export type RobotsRules =
  | { kind: "known"; isAllowed: (url: URL) => boolean }
  | { kind: "unknown"; failure: FetchFailure; detail: string; retryAfterMs: number | null };

type LoadRules = () => Promise<RobotsRules>;

/** How long the rules of an origin are used; RFC 9309 (2.4) allows a day. Unknown rules may be known soon. */
const knownTtlMs = 12 * hourMs;
const unknownTtlMs = 5 * minuteMs;

/** Caches the robots.txt rules of the most recently used origins. */
export class RobotsCache {
  readonly #rules: LRUCache<string, RobotsRules, LoadRules>;

  constructor(maxOriginCount = 1_000) {
    this.#rules = new LRUCache({
      max: maxOriginCount,
      ttl: knownTtlMs,
      fetchMethod: async (_origin, _stale, { context: load, options }) => {
        const rules = await load();
        if (rules.kind === "unknown") options.ttl = unknownTtlMs;
        return rules;
      },
      // An origin that is evicted while it loads still returns its rules to the pending calls.
      ignoreFetchAbort: true,
    });
  }

  /**
   * Returns the rules of an origin, loading them if necessary; concurrent calls share one load. One caller's abort must
   * not cancel the shared load, so no signal is passed on. Rules that are unknown only because this run ended are not cached.
   */
  async getRules(origin: string, load: LoadRules): Promise<RobotsRules> {
    const rules = await this.#rules.forceFetch(origin, { context: load });
    const isRunEnd = rules.kind === "unknown" && isRunFailure(rules.failure);
    if (isRunEnd && this.#rules.peek(origin) === rules) this.#rules.delete(origin);
    return rules;
  }
}
