import { LRUCache } from "lru-cache";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { hourMs, minuteMs } from "#lib/platform/time";
import { type FetchFailure, isRunFailure } from "./fetch-failure";
import type { RobotsRule } from "./robots-rules";
import { readRobotsRules, type StoredRobotsRules, writeRobotsRules } from "./store";

/** The rules of an origin's robots.txt, or why they are unknown. */
export type RobotsRules =
  | { kind: "known"; rules: readonly RobotsRule[] }
  | { kind: "unknown"; failure: FetchFailure; detail: string; retryAfterMs: number | null };

type LoadRules = () => Promise<RobotsRules>;

/** The database in which the rules are kept for other runs. */
type SharedRules = { database: Database; clock: Clock; log: Log };

/** How long the rules of an origin are used; RFC 9309 (2.4) allows a day. Unknown rules may be known soon. */
const knownTtlMs = 12 * hourMs;
const unknownTtlMs = 5 * minuteMs;
/** Most characters of the rules of an origin, as JSON, that are stored. Longer ones are requested by each run. */
const maxStoredLength = 32 * 1024;
/** New rules are stored together, this many or more at a time. */
const minWriteCount = 16;

/** The robots.txt rules of the most recently used origins. With a database, other runs use them too. */
export class RobotsCache {
  readonly #shared: SharedRules | undefined;
  readonly #rules: LRUCache<string, RobotsRules, LoadRules>;
  #unwritten: StoredRobotsRules[] = [];

  constructor(shared?: SharedRules, maxOriginCount = 1_000) {
    this.#shared = shared;
    this.#rules = new LRUCache({
      max: maxOriginCount,
      ttl: knownTtlMs,
      fetchMethod: async (origin, _stale, { context: load, options }) => {
        const rules = await load();
        if (rules.kind === "unknown") options.ttl = unknownTtlMs;
        else this.#keep(origin, rules.rules);
        return rules;
      },
      // An origin that is evicted while it loads still returns its rules to the pending calls.
      ignoreFetchAbort: true,
    });
  }

  /** Reads stored rules of origins that are about to be used. Throws AppError if the database fails. */
  async preload(origins: readonly string[]): Promise<void> {
    if (!this.#shared) return;
    if (this.#unwritten.length >= minWriteCount) await this.flush();
    const { database, clock } = this.#shared;
    const missing = [...new Set(origins)].filter((origin) => !this.#rules.has(origin));
    if (missing.length === 0) return;
    const now = clock.now();
    for (const { origin, rules, expiresAt } of await readRobotsRules(database, missing, now)) {
      this.#rules.set(origin, { kind: "known", rules }, { ttl: expiresAt.getTime() - now.getTime() });
    }
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

  /** Stores new rules. Those that cannot be stored are requested again by another run. */
  async flush(): Promise<void> {
    const rows = this.#unwritten.splice(0);
    if (!this.#shared || rows.length === 0) return;
    try {
      await writeRobotsRules(this.#shared.database, rows);
    } catch (error) {
      this.#shared.log.warn({ err: error }, "could not store the rules of robots.txt files");
    }
  }

  #keep(origin: string, rules: readonly RobotsRule[]): void {
    if (!this.#shared || JSON.stringify(rules).length > maxStoredLength) return;
    const expiresAt = new Date(this.#shared.clock.now().getTime() + knownTtlMs);
    this.#unwritten.push({ origin, rules, expiresAt });
  }
}
