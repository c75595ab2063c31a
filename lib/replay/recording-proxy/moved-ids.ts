import { findDifferences } from "#lib/platform/json-difference";
import type { Replacement, RequestBody } from "#lib/replay/cassettes/index";
import { replaceVolatileText, uuid } from "./volatile-text";

/** Most UUIDs of a test that are known, and most places in which two requests are compared. */
const maxCount = 10_000;

const steady = (text: string) => replaceVolatileText(text, []);

/** The UUIDs of recorded requests, and those that the requests of this run have in their places. */
export class MovedIds {
  /** Null if there are several. */
  readonly #ids = new Map<string, string | null>();

  get hasMoved(): boolean {
    return this.#ids.size > 0;
  }

  /** Learns the UUIDs of a request that got the answer to a recorded one. */
  learn(recorded: RequestBody, sent: RequestBody): this {
    let text: string | undefined;
    for (const { before, after } of findDifferences(recorded, sent, maxCount)) {
      if (typeof before !== "string" || typeof after !== "string") continue;
      const [was, now] = [before.match(uuid), after.match(uuid)];
      // Texts of which more differs do not say which of their UUIDs stand for which.
      if (!was || !now || steady(before) !== steady(after)) continue;
      text ??= JSON.stringify(sent);
      for (const [index, id] of was.entries()) {
        const known = this.#ids.get(id);
        if (known === undefined && this.#ids.size >= maxCount) return this;
        const isOne = (known === undefined || known === now[index]) && !text.includes(id);
        this.#ids.set(id, isOne ? (now[index] ?? null) : null);
      }
    }
    return this;
  }

  /** Returns where a text has the UUIDs of recorded requests, and those of this run. */
  find(text: string): Replacement[] {
    return [...text.matchAll(uuid)].flatMap(({ 0: id, index }) => {
      const now = this.#ids.get(id) ?? id;
      return now === id ? [] : [{ start: index, end: index + id.length, text: now }];
    });
  }
}
