import { isDeepStrictEqual } from "node:util";
import { findDifferences, type JsonDifference } from "#lib/platform/json-difference";
import { findMembers, isWithin, memberPointer, withoutPointers } from "#lib/platform/json-pointer";
import { hashJson, objectOf, type RequestBody } from "#lib/replay/cassettes/index";
import { idFieldsOf, type Provider, pathInProtocol } from "#lib/replay/providers/index";
import type { TimedRequest } from "./moved-times";
import { commonPlace, type RunPlace } from "./run-place";
import { replaceVolatileQuery, replaceVolatileText } from "./volatile-text";

/** A complete request to a model provider, without secrets. */
export type TapeRequest = {
  method: string;
  /** Undefined where a base URL led the request to the proxy. */
  host?: string | undefined;
  path: string;
  /** Without the question mark and without credentials. */
  query: string;
  /** Those that select the answer; undefined if it has none. */
  headers?: Readonly<Record<string, string>> | undefined;
  body: RequestBody;
  /** The body with the hashes of text files in place of their texts, as older tapes have them; undefined without such files. */
  hashed?: RequestBody | undefined;
  /** Where it was sent, as far as that is known. */
  place?: RunPlace | undefined;
  /** When it was sent: `2026-11-28T10:00:00+01:00`, or only the day, in UTC. */
  sentAt?: string | undefined;
};

type JsonObject = Record<string, unknown>;

/** Members of a tool's result that name its call. */
const callIdNames = ["tool_use_id", "tool_call_id", "call_id"];

function callIdOf(item: unknown): string | undefined {
  const object = item !== null && typeof item === "object" ? (item as JsonObject) : {};
  return callIdNames.map((name) => object[name]).find((id) => typeof id === "string");
}

/** Sorts results by the ids of their calls. What marks a place in the list, as `cache_control` does, stays there. */
function sortResults(results: readonly JsonObject[]): JsonObject[] {
  const sorted = [...results].sort((a, b) => ((callIdOf(a) ?? "") < (callIdOf(b) ?? "") ? -1 : 1));
  return sorted.map(({ cache_control: _moved, ...result }, index) => {
    const mark = results[index]?.cache_control;
    return mark === undefined ? result : { ...result, cache_control: mark };
  });
}

/** Returns a body in which the results of parallel tools have one order: clients send them in that in which tools end. */
function orderToolResults(provider: Provider, body: JsonObject): JsonObject {
  const places = provider.toolResults(body).map((pointer) => pointer.split("/").slice(1, -1));
  const listAt = (from: JsonObject, place: readonly string[]) =>
    place.slice(0, -1).reduce<unknown>((value, name) => (value as JsonObject | undefined)?.[name], from);
  let ordered = body;
  for (let from = 0; from < places.length; ) {
    const first = places[from] as string[];
    const start = Number(first.at(-1));
    let count = 1;
    const isNext = (place: readonly string[] | undefined) =>
      place?.slice(0, -1).join("/") === first.slice(0, -1).join("/") && Number(place.at(-1)) === start + count;
    while (isNext(places[from + count])) count += 1;
    if (count > 1 && ordered === body) ordered = structuredClone(body);
    const list = listAt(ordered, first);
    if (count > 1 && Array.isArray(list)) {
      const results = list.slice(start, start + count);
      if (results.every((item) => callIdOf(item) !== undefined)) list.splice(start, count, ...sortResults(results));
    }
    from += count;
  }
  return ordered;
}

/** Returns a body in which ids that clients may have made up are numbered, so that only counts which result is of which call. */
function numberIds(provider: Provider, body: JsonObject): JsonObject {
  const { request: pointers, areMadeUp = false } = idFieldsOf(provider);
  if (!areMadeUp || findMembers(body, pointers).length === 0) return body;
  const numbered = structuredClone(body);
  const ids = new Map<unknown, number>();
  for (const { parent, name } of findMembers(numbered, pointers)) {
    const number = ids.get(parent[name]) ?? ids.size + 1;
    ids.set(parent[name], number);
    parent[name] = `${number}`;
  }
  return numbered;
}

/** Returns what of a body is compared. */
function comparedBody(provider: Provider, body: JsonObject, volatile: readonly string[]): unknown {
  return withoutPointers(numberIds(provider, orderToolResults(provider, body)), [
    ...provider.volatileFields,
    ...volatile,
  ]);
}

/** Returns the query that is compared. */
function comparedQuery({ query }: TapeRequest, volatile: readonly string[]): string {
  const pointers = volatile.filter((pointer) => pointer.startsWith("/query/"));
  if (pointers.length === 0) return query;
  const isCompared = ([name]: readonly [string, string]) =>
    pointers.every((pointer) => !isWithin(memberPointer("/query", name), pointer));
  return new URLSearchParams([...new URLSearchParams(query)].filter(isCompared)).toString();
}

/** Returns what is compared besides method, path and body, with parameters by their names. */
function comparedParts(request: TapeRequest, volatile: readonly string[]) {
  const parameters = new URLSearchParams(comparedQuery(request, volatile));
  const query = [...new Set(parameters.keys())].map((name) => {
    const values = parameters.getAll(name);
    return [name, values.length > 1 ? values : values[0]] as const;
  });
  return { query: Object.fromEntries(query), headers: comparedHeaders(request, volatile) ?? {} };
}

/** Returns the headers that are compared; undefined if there are none. */
function comparedHeaders({ headers }: TapeRequest, volatile: readonly string[]): TapeRequest["headers"] {
  const compared = withoutPointers(
    { headers },
    volatile.filter((pointer) => pointer.startsWith("/headers/")),
  ).headers;
  return compared && Object.keys(compared).length > 0 ? compared : undefined;
}

/** Characters of a key that the list of a tape has. */
export const matchKeyLength = 12;
/** Returns the part of a path that is compared: base URLs have the version at their end, or leave it out. */
function comparedPath(provider: Provider, method: string, path: string): string {
  return pathInProtocol(provider, { method, path }).replace(/^\/v\d\w*(?=\/)/, "");
}

/** Returns the method and the part of the path that is compared. */
export function placeOf(provider: Provider, { method, path }: Pick<TapeRequest, "method" | "path">): string {
  return `${method} ${comparedPath(provider, method, path)}`;
}

/** Paths of calls whose answers are of each word of their inputs: vectors, ranks, ratings, speech and images. */
const inputPath =
  /\b(?:embed|embeddings?|embedContent|batchEmbedContents|rerank|moderations|speech|generations|(?:embed|rerank)[^/]*\/invoke)$/;
const inputField = /^(?:inputs?|inputText|texts?|query|documents|contents?|requests|prompt)$/;

/** Returns a body with what differs from run to run replaced, but in the inputs of such calls. Adds the times to `found`. */
function replaceInBody(
  { path }: TapeRequest,
  json: unknown,
  own: readonly RegExp[],
  place?: RunPlace,
  found?: string[],
): unknown {
  if (json === null || typeof json !== "object" || !inputPath.test(path))
    return replaceVolatileText(json, own, place, false, found);
  const members = Object.entries(json).map(([name, member]) => [
    name,
    replaceVolatileText(member, own, place, inputField.test(name), found),
  ]);
  return Object.fromEntries(members);
}

/** Returns a request with what differs from run to run replaced, with `place` also this place. */
export function replaceVolatileParts(request: TapeRequest, own: readonly RegExp[], place?: RunPlace): TapeRequest {
  const { query, headers, body } = request;
  const json = objectOf(body);
  const at = place ?? commonPlace(request.place);
  return {
    ...request,
    query: replaceVolatileQuery(query, own),
    headers: replaceVolatileText(headers, own, at) as TapeRequest["headers"],
    body: (json ? { json: replaceInBody(request, json, own, at) } : replaceVolatileText(body, own, at)) as RequestBody,
  };
}

/** Hashes and times of requests by what they were made with: each request of a test is compared with all recordings of its tape. */
const hashes = new WeakMap<TapeRequest, Map<string, unknown>>();

function remember<T>(request: TapeRequest, parts: readonly unknown[], make: () => T): T {
  const known = hashes.get(request) ?? new Map<string, unknown>();
  hashes.set(request, known);
  const name = JSON.stringify(parts, (_name, part) => (part instanceof RegExp ? String(part) : part));
  const hash = known.has(name) ? (known.get(name) as T) : make();
  known.set(name, hash);
  return hash;
}

/**
 * Returns the hash of all that is compared: everything but the fields that clients make up. With `volatileText`, times,
 * UUIDs, temporary paths and what these expressions match are not compared either, and with `place`, nor are this folder,
 * home directory and day.
 */
export function matchKey(
  provider: Provider,
  request: TapeRequest,
  volatile: readonly string[],
  volatileText?: readonly RegExp[],
  place?: RunPlace,
): string {
  const parts = ["all", provider.name, volatile, volatileText, place];
  return remember(request, parts, () => hashRequest(provider, request, volatile, volatileText, place));
}

function hashRequest(
  provider: Provider,
  request: TapeRequest,
  volatile: readonly string[],
  volatileText?: readonly RegExp[],
  place?: RunPlace,
  found?: string[],
): string {
  const { method, path, body } = request;
  const query = comparedQuery(request, volatile);
  const headers = comparedHeaders(request, volatile);
  const json = objectOf(body);
  const compared = json ? comparedBody(provider, json, volatile) : body;
  const steadyQuery = volatileText ? replaceVolatileQuery(query, volatileText, found) : query;
  const target = [provider.name, method, comparedPath(provider, method, path), steadyQuery];
  // Keys of requests without such headers are those of tapes that were recorded before headers were.
  const rest = headers ? [headers] : [];
  if (!volatileText) return hashJson([...target, compared, ...rest]);
  const at = place ?? commonPlace(request.place);
  const steadyBody = replaceInBody(request, compared, volatileText, at, found);
  const steadyRest = rest.map((value) => replaceVolatileText(value, volatileText, at, false, found));
  return hashJson([...target, steadyBody, ...steadyRest]);
}

/** Returns what a request has that differs from a recorded one; pointers below `/body` are without that prefix. */
export function compareRequests(
  provider: Provider,
  recorded: TapeRequest,
  sent: TapeRequest,
  volatile: readonly string[],
): JsonDifference[] {
  const [was, is] = [comparedParts(recorded, volatile), comparedParts(sent, volatile)];
  const isSameButOrder = isDeepStrictEqual(was.query, is.query);
  const place = (request: TapeRequest) => {
    const query = isSameButOrder ? comparedQuery(request, volatile) : "";
    return `${placeOf(provider, request)}${query === "" ? "" : `?${query}`}`;
  };
  const [before, after] = [objectOf(recorded.body), objectOf(sent.body)];
  const differences = [
    ...findDifferences(was, is),
    ...(before && after
      ? findDifferences(comparedBody(provider, before, volatile), comparedBody(provider, after, volatile))
      : findDifferences(recorded.body, sent.body)),
  ];
  return place(recorded) === place(sent)
    ? differences
    : [{ pointer: "", before: place(recorded), after: place(sent) }, ...differences];
}

/** Returns those pointers of a body's tool results of which the protocol says that the tool failed. */
export function findFailed(provider: Provider, body: unknown, results: readonly string[]): string[] {
  return results.filter((result) =>
    findMembers(body, [result]).some(({ parent, name }) => provider.isFailure?.(parent[name])),
  );
}

function findResults(provider: Provider, request: TapeRequest): { body: JsonObject | null; results: string[] } {
  const json = objectOf(request.body);
  const body = json && orderToolResults(provider, json);
  return { body, results: body ? provider.toolResults(body) : [] };
}

/**
 * Returns the hash of all that is compared but what tools returned, of which only counts whether they failed; null if no tool
 * has returned anything.
 */
export function matchKeyWithoutResults(
  provider: Provider,
  request: TapeRequest,
  volatile: readonly string[],
  volatileText: readonly RegExp[],
  place?: RunPlace,
): string | null {
  return remember(request, ["no results", provider.name, volatile, volatileText, place], () => {
    const { body, results } = findResults(provider, request);
    if (results.length === 0) return null;
    const key = hashRequest(provider, request, [...volatile, ...results], volatileText, place);
    return hashJson([key, findFailed(provider, body, results)]);
  });
}

/** Returns the times of a request that its key leaves out; without results, but those in what tools returned. */
export function timesOf(
  provider: Provider,
  request: TapeRequest,
  {
    volatile,
    volatileText,
    withResults,
  }: { volatile: readonly string[]; volatileText: readonly RegExp[]; withResults: boolean },
  place?: RunPlace,
): TimedRequest {
  return remember(request, ["times", provider.name, volatile, volatileText, withResults, place], () => {
    const { results } = withResults ? { results: [] } : findResults(provider, request);
    const times: string[] = [];
    hashRequest(provider, request, [...volatile, ...results], volatileText, place, times);
    return { times, sentAt: request.sentAt };
  });
}
