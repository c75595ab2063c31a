import { findDifferences } from "#lib/platform/json-difference";
import type { Replacement, RequestBody } from "#lib/replay/cassettes/index";
import { type RunPlace, temporaryPattern } from "./run-place";
import type { TapeRequest } from "./tape-request";
import { replaceVolatileText, uuid } from "./volatile-text";

/** Most UUIDs and temporary paths of a test that are known, and most places in which two requests are compared. */
const maxCount = 10_000;

/** UUIDs and temporary paths of recorded requests, and those of this run in their places; null if there are several. */
type Ids = Map<string, string | null>;
type Asked = Pick<TapeRequest, "body" | "place">;

/** Returns where a text has the UUIDs and temporary paths of recorded requests, and those of this run. */
export type FindIds = (text: string) => Replacement[];

/** Returns what finds the UUIDs and temporary paths of a run: these first, as they may have UUIDs in them. */
const patternsOf = (place: RunPlace | undefined) => [temporaryPattern(place), uuid];
const steady = (text: string, { temporary }: RunPlace = {}) => replaceVolatileText(text, [], { temporary });
const idsIn = (body: RequestBody, place: RunPlace | undefined): string[] =>
  patternsOf(place).flatMap((pattern) => JSON.stringify(body).match(pattern) ?? []);

function add(ids: Ids, id: string, now: string | null): void {
  const known = ids.get(id);
  if (known !== undefined || ids.size < maxCount) ids.set(id, known === undefined || known === now ? now : null);
}

/** Returns the UUIDs and temporary paths of a recorded request that are others in one which it matches. */
function idsMoved(recorded: Asked, sent: Asked): Ids {
  const moved: Ids = new Map();
  for (const { before, after } of findDifferences(recorded.body, sent.body, maxCount)) {
    if (typeof before !== "string" || typeof after !== "string") continue;
    // Texts of which more differs do not say which of their UUIDs stand for which.
    if (steady(before, recorded.place) !== steady(after, sent.place)) continue;
    const own = patternsOf(sent.place);
    for (const [index, pattern] of patternsOf(recorded.place).entries()) {
      const [was, now] = [before.match(pattern) ?? [], after.match(own[index] as RegExp) ?? []];
      if (was.length === now.length) for (const [at, id] of was.entries()) add(moved, id, now[at] ?? null);
    }
  }
  return moved;
}

/** The UUIDs and temporary paths of recorded requests, and those that the requests of this run have in their places. */
export class MovedIds {
  readonly #known: Ids = new Map();

  /**
   * Learns those of a request that got the answer to a recorded one. Returns what finds those that its answer gets: its own,
   * else those of the requests before it, but none that it still has itself; undefined if none has moved.
   */
  learn(recorded: Asked, sent: Asked): FindIds | undefined {
    const own: Ids = idsIn(recorded.body, recorded.place).length > 0 ? idsMoved(recorded, sent) : new Map();
    if (own.size + this.#known.size === 0) return undefined;
    const kept = new Set(idsIn(sent.body, recorded.place));
    for (const [id, now] of own) add(this.#known, id, kept.has(id) ? null : now);
    return (text) => {
      const found = patternsOf(recorded.place).flatMap((pattern) =>
        [...text.matchAll(pattern)].flatMap(({ 0: id, index }) => {
          const now = (own.has(id) ? own : this.#known).get(id) ?? id;
          return now === id || kept.has(id) ? [] : [{ start: index, end: index + id.length, text: now }];
        }),
      );
      return found.filter((each, index) =>
        found.slice(0, index).every(({ start, end }) => each.end <= start || each.start >= end),
      );
    };
  }
}
