import { findDifferences } from "#lib/platform/json-difference";
import type { Replacement, RequestBody } from "#lib/replay/cassettes/index";
import { replaceVolatileText, uuid } from "./volatile-text";

/** Most UUIDs of a test that are known, and most places in which two requests are compared. */
const maxCount = 10_000;

/** UUIDs of recorded requests, and those of this run in their places; null if there are several. */
type Ids = Map<string, string | null>;

/** Returns where a text has the UUIDs of recorded requests, and those of this run. */
export type FindIds = (text: string) => Replacement[];

const steady = (text: string) => replaceVolatileText(text, []);
const idsIn = (body: RequestBody): string[] => JSON.stringify(body).match(uuid) ?? [];

function add(ids: Ids, id: string, now: string | null): void {
  const known = ids.get(id);
  if (known !== undefined || ids.size < maxCount) ids.set(id, known === undefined || known === now ? now : null);
}

/** Returns the UUIDs of a recorded request that are others in one which it matches. */
function idsMoved(recorded: RequestBody, sent: RequestBody): Ids {
  const moved: Ids = new Map();
  for (const { before, after } of findDifferences(recorded, sent, maxCount)) {
    if (typeof before !== "string" || typeof after !== "string") continue;
    const [was, now] = [before.match(uuid), after.match(uuid)];
    // Texts of which more differs do not say which of their UUIDs stand for which.
    if (!was || !now || steady(before) !== steady(after)) continue;
    for (const [index, id] of was.entries()) add(moved, id, now[index] ?? null);
  }
  return moved;
}

/** The UUIDs of recorded requests, and those that the requests of this run have in their places. */
export class MovedIds {
  readonly #known: Ids = new Map();

  /**
   * Learns the UUIDs of a request that got the answer to a recorded one. Returns what finds those that its answer gets: its
   * own, else those of the requests before it, but none that it still has itself; undefined if none has moved.
   */
  learn(recorded: RequestBody, sent: RequestBody): FindIds | undefined {
    const own: Ids = idsIn(recorded).length > 0 ? idsMoved(recorded, sent) : new Map();
    if (own.size + this.#known.size === 0) return undefined;
    const kept = new Set(idsIn(sent));
    for (const [id, now] of own) add(this.#known, id, kept.has(id) ? null : now);
    return (text) =>
      [...text.matchAll(uuid)].flatMap(({ 0: id, index }) => {
        const now = (own.has(id) ? own : this.#known).get(id) ?? id;
        return now === id || kept.has(id) ? [] : [{ start: index, end: index + id.length, text: now }];
      });
  }
}
