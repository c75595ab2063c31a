import { LRUCache } from "lru-cache";
import { type FetchFailure, isRunFailure } from "./fetch-failure";

/** The rules of an origin's robots.txt, or why they are unknown. */
export type RobotsRules =
  | { kind: "known"; isAllowed: (url: URL) => boolean }
  | { kind: "unknown"; failure: FetchFailure; detail: string; retryAfterMs: number | null };

type LoadRules = () => Promise<RobotsRules>;

/** Caches the robots.txt rules of the most recently used origins during a run. */
export class RobotsCache {
  readonly #rules: LRUCache<string, RobotsRules, LoadRules>;

  constructor(maxOriginCount = 1_000) {
    this.#rules = new LRUCache({
      max: maxOriginCount,
      fetchMethod: (_origin, _stale, { context: load }) => load(),
      // An origin that is evicted while it loads still returns its rules to those who wait for them.
      ignoreFetchAbort: true,
    });
  }

  /**
   * Returns the rules of an origin, loading them if necessary; concurrent calls share one load. One caller's abort must
   * not cancel the shared load, so no signal is passed on, and rules that the run's own end left unknown are not kept.
   */
  async getRules(origin: string, load: LoadRules): Promise<RobotsRules> {
    const rules = await this.#rules.forceFetch(origin, { context: load });
    const isOwnEnd = rules.kind === "unknown" && isRunFailure(rules.failure);
    if (isOwnEnd && this.#rules.peek(origin) === rules) this.#rules.delete(origin);
    return rules;
  }
}
