import { findMembers, withoutPointers } from "#lib/platform/json-pointer";
import { hashJson, objectOf } from "#lib/replay/cassettes/index";
import { idFieldsOf, type Provider } from "#lib/replay/providers/index";
import { isLeftForExact, type Match, type Matchable, type MatchOptions, matchRequest } from "./match-request";
import { matchKey, type TapeRequest } from "./tape-request";

type Json = Record<string, unknown>;

type IdPlace = { parent: Json; name: string; id: string };

function idPlaces(value: unknown, pointers: readonly string[]): IdPlace[] {
  return findMembers(value, pointers).flatMap(({ parent, name }) => {
    const id = parent[name];
    return typeof id === "string" ? [{ parent, name, id }] : [];
  });
}

/** Returns the ids that an answer issues, each with what it stands for; of equal calls, the first, the second and so on. */
function issuedIds(provider: Provider, answer: Json): [what: string, id: string][] {
  const body = structuredClone(answer);
  const places = idPlaces(body, idFieldsOf(provider).answer);
  for (const { parent, name } of places) parent[name] = null;
  const counts = new Map<string, number>();
  return places.map(({ parent, name, id }) => {
    // Of a response, all else differs from call to call, such as its time.
    const what = `${name} ${hashJson(parent === body ? provider.readAnswer(body).parts : parent)}`;
    const count = counts.get(what) ?? 0;
    counts.set(what, count + 1);
    return [`${what} ${count}`, id];
  });
}

/** Returns the ids of a request that are compared. */
function comparedIds(provider: Provider, { body }: TapeRequest, volatile: readonly string[]): string[] {
  return idPlaces(withoutPointers(objectOf(body), volatile), idFieldsOf(provider).request).map(({ id }) => id);
}

/** `isTaken`: whether the recording is marked as played, so that no other request gets it. */
export type FindOptions = MatchOptions & { isTaken?: boolean };

function isExactMatch(match: Found<unknown>): boolean {
  return match.kind === "match" && match.differences.length === 0;
}

/** A miss has no nearest recording: its ids would not be those that the client sent. */
type Found<T> = Extract<Match<T>, { kind: "match" }> | { kind: "miss"; reason: string };
type View<T> = Matchable & { exchange: T };
/** Recordings of equal requests: the first one until there is another, then the first id for each thing that ids stand for. */
type Group<T> = { first: T | null; ids: Map<string, string> };

/**
 * Matches requests to recordings whose ids are others, if both were issued for the same thing in answers to equal requests:
 * clients get the answer that was recorded first, whichever of the conversations on the tape they continue. An id that several
 * answers issued for different things is compared as it is.
 */
export class IssuedIds<T extends Matchable> {
  readonly #readBody: (exchange: T) => Promise<Json | null>;
  readonly #views = new Map<T, View<T>>();
  readonly #groups = new Map<string, Group<T>>();
  /** The id that stands for each one. */
  readonly #names = new Map<string, string>();
  #reading: Promise<void> = Promise.resolve();

  /** `readBody` returns the body of an answer, or null if it cannot be read. */
  constructor(readBody: (exchange: T) => Promise<Json | null>) {
    this.#readBody = readBody;
  }

  /** Finds the recording of a request; if none has the texts of its files, one that has only their hashes. */
  async find(
    exchanges: readonly T[],
    provider: Provider,
    request: TapeRequest,
    options: FindOptions,
  ): Promise<Match<T>> {
    const match = await this.#find(exchanges, provider, request, options);
    if (match.kind === "match" || request.hashed === undefined) return match;
    const hashed = await this.#find(exchanges, provider, { ...request, body: request.hashed }, options);
    return hashed.kind === "match" ? hashed : match;
  }

  /** Finds the recording of a request, of those with its ids first. */
  async #find(
    exchanges: readonly T[],
    provider: Provider,
    request: TapeRequest,
    { isTaken = false, ...options }: FindOptions,
  ): Promise<Match<T>> {
    const asked = [exchanges, provider, request, options] as const;
    let match = matchRequest(...asked);
    const reading = isExactMatch(match) ? undefined : this.#read(...asked);
    if (reading) {
      await reading;
      // Another request may have taken it.
      match = matchRequest(...asked);
    }
    const other = isExactMatch(match) ? null : this.#match(...asked);
    if (match.kind === "miss" && other?.kind === "miss") match = { ...match, reason: other.reason };
    else if (other?.kind === "match" && (match.kind === "miss" || isExactMatch(other))) match = other;
    if (isTaken && match.kind === "match")
      Object.assign(match.exchange, {
        isPlayed: true,
        isLoose: !isExactMatch(match) && isLeftForExact(match.exchange),
      });
    return match;
  }

  /** Reads which ids answers issued. Returns undefined if a request has no ids, or all answers were read. */
  #read(
    exchanges: readonly T[],
    provider: Provider,
    request: TapeRequest,
    options: MatchOptions,
  ): Promise<void> | undefined {
    const hasIds = comparedIds(provider, request, options.volatile).length > 0;
    if (!hasIds || exchanges.every((exchange) => this.#views.has(exchange))) return undefined;
    this.#reading = this.#reading.then(async () => {
      // In the order of requests, so that ids are known before the requests that have them.
      for (const exchange of [...exchanges]) if (!this.#views.has(exchange)) await this.#add(exchange, options);
    });
    return this.#reading;
  }

  /** Returns the match of a request that has none with its ids as they are; null if no id has an equal one. */
  #match(exchanges: readonly T[], provider: Provider, request: TapeRequest, options: MatchOptions): Found<T> | null {
    if (!comparedIds(provider, request, options.volatile).some((id) => this.#names.has(id))) return null;
    const views = exchanges.flatMap((exchange) => {
      const view = this.#views.get(exchange);
      return view ? [{ ...view, isPlayed: exchange.isPlayed, isLoose: exchange.isLoose }] : [];
    });
    const match = matchRequest(views, provider, this.#unify(provider, request), options);
    return match.kind === "match" ? { ...match, exchange: match.exchange.exchange } : match;
  }

  /** Returns a request with the first one of equal ids in place of each; unchanged if two of its ids would become one. */
  #unify(provider: Provider, request: TapeRequest): TapeRequest {
    const { request: pointers } = idFieldsOf(provider);
    const ids = new Set(idPlaces(objectOf(request.body), pointers).map(({ id }) => id));
    const names = new Map([...ids].map((id) => [id, this.#names.get(id) ?? id]));
    if ([...names].every(([id, name]) => id === name) || new Set(names.values()).size < ids.size) return request;
    const json = structuredClone(objectOf(request.body)) as Json;
    for (const { parent, name, id } of idPlaces(json, pointers)) parent[name] = names.get(id);
    return { ...request, body: { json } };
  }

  async #add(exchange: T, { volatile, volatileText = [], isExact }: MatchOptions): Promise<void> {
    const { provider } = exchange;
    const request = this.#unify(provider, exchange.request);
    const key = request === exchange.request ? exchange.key : matchKey(provider, request, volatile);
    if (provider.operationOf(request) === "generate") {
      const place = `${request.host} ${isExact ? key : matchKey(provider, request, volatile, volatileText)}`;
      const group = this.#groups.get(place) ?? { first: exchange, ids: new Map() };
      this.#groups.set(place, group);
      if (group.first !== exchange) {
        if (group.first) await this.#name(group.first, group);
        group.first = null;
        await this.#name(exchange, group);
      }
    }
    this.#views.set(exchange, { ...exchange, request, key, exchange });
  }

  async #name(exchange: T, { ids }: Group<T>): Promise<void> {
    const body = await this.#readBody(exchange);
    for (const [what, id] of body ? issuedIds(exchange.provider, body) : []) {
      const name = ids.get(what) ?? id;
      ids.set(what, name);
      this.#names.set(id, (this.#names.get(id) ?? name) === name ? name : id);
    }
  }
}
