import type { FetchFailure } from "./file-fetch";
import type { RobotsMatcher } from "./parse-robots";

/** What an origin's robots.txt says: which URLs may be fetched, or why nobody knows. */
export type RobotsRules =
  | { kind: "known"; isAllowed: RobotsMatcher }
  | { kind: "unknown"; failure: FetchFailure; detail: string; retryAfterMs: number | null };

/** The robots.txt of each origin, read once in a run; the origins that were asked for last are kept. */
export class RobotsCache {
  readonly #maxOriginCount: number;
  readonly #rules = new Map<string, Promise<RobotsRules>>();

  constructor(maxOriginCount = 1_000) {
    this.#maxOriginCount = maxOriginCount;
  }

  /** The rules of an origin, loaded where they are not known yet. Two that ask at once share one loading. */
  async rulesOf(origin: string, load: () => Promise<RobotsRules>): Promise<RobotsRules> {
    const known = this.#rules.get(origin);
    const rules = known ?? load();
    this.#rules.delete(origin);
    this.#rules.set(origin, rules);
    this.#forgetOldest();
    if (!known) this.#forgetUnlessTold(origin, rules);
    return rules;
  }

  #forgetOldest(): void {
    const oldest = this.#rules.keys().next();
    if (this.#rules.size > this.#maxOriginCount && !oldest.done) this.#rules.delete(oldest.value);
  }

  /** One caller's end must not speak for the others. */
  #forgetUnlessTold(origin: string, rules: Promise<RobotsRules>): void {
    const forget = () => {
      if (this.#rules.get(origin) === rules) this.#rules.delete(origin);
    };
    rules.then((found) => {
      if (found.kind === "unknown" && (found.failure === "aborted" || found.failure === "deadline")) forget();
    }, forget);
  }
}
