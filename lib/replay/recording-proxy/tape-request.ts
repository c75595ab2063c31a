import { findDifferences, type JsonDifference } from "#lib/platform/json-difference";
import { withoutPointers } from "#lib/platform/json-pointer";
import { hashJson, objectOf, type RequestBody } from "#lib/replay/cassettes/index";
import { type Provider, pathInProtocol } from "#lib/replay/providers/index";
import { replaceVolatileText } from "./volatile-text";

/** A complete request to a model provider, without secrets. */
export type TapeRequest = {
  method: string;
  /** Undefined where a base URL led the request to the proxy. */
  host?: string | undefined;
  path: string;
  /** Without the question mark and without credentials. */
  query: string;
  body: RequestBody;
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
  const ordered = places.length > 1 ? structuredClone(body) : body;
  for (let from = 0; from < places.length; ) {
    const first = places[from] as string[];
    const list = listAt(ordered, first);
    const start = Number(first.at(-1));
    let count = 1;
    const isNext = (place: readonly string[] | undefined) =>
      place?.slice(0, -1).join("/") === first.slice(0, -1).join("/") && Number(place.at(-1)) === start + count;
    while (isNext(places[from + count])) count += 1;
    if (Array.isArray(list)) {
      const results = list.slice(start, start + count);
      if (count > 1 && results.every((item) => callIdOf(item) !== undefined))
        list.splice(start, count, ...sortResults(results));
    }
    from += count;
  }
  return ordered;
}

/** Returns what of a body is compared. */
function comparedBody(provider: Provider, body: JsonObject, volatile: readonly string[]): unknown {
  return withoutPointers(orderToolResults(provider, body), [...provider.volatileFields, ...volatile]);
}

/** Characters of a key that the list of a tape has. */
export const matchKeyLength = 12;
/** Returns the part of a path that is compared: base URLs have the version at their end, or leave it out. */
export function comparedPath(provider: Provider, method: string, path: string): string {
  return pathInProtocol(provider, { method, path }).replace(/^\/v\d\w*(?=\/)/, "");
}

/**
 * Returns the hash of all that is compared: everything but the fields that clients make up. With `volatileText`, times,
 * UUIDs, temporary paths and what these expressions match are not compared either.
 */
export function matchKey(
  provider: Provider,
  request: TapeRequest,
  volatile: readonly string[],
  volatileText?: readonly RegExp[],
): string {
  const { method, path, query, body } = request;
  const json = objectOf(body);
  const compared = json ? comparedBody(provider, json, volatile) : body;
  const place = [provider.name, method, comparedPath(provider, method, path), query];
  return hashJson([...place, volatileText ? replaceVolatileText(compared, volatileText) : compared]);
}

/** Returns what a request has that differs from a recorded one; pointers below `/body` are without that prefix. */
export function compareRequests(
  provider: Provider,
  recorded: TapeRequest,
  sent: TapeRequest,
  volatile: readonly string[],
): JsonDifference[] {
  const place = ({ method, path, query }: TapeRequest) =>
    `${method} ${comparedPath(provider, method, path)}${query === "" ? "" : `?${query}`}`;
  const [before, after] = [objectOf(recorded.body), objectOf(sent.body)];
  const differences =
    before && after
      ? findDifferences(comparedBody(provider, before, volatile), comparedBody(provider, after, volatile))
      : findDifferences(recorded.body, sent.body);
  return place(recorded) === place(sent)
    ? differences
    : [{ pointer: "", before: place(recorded), after: place(sent) }, ...differences];
}

/** Returns the hash of all that is compared but what tools returned; null if no tool has returned anything. */
export function matchKeyWithoutResults(
  provider: Provider,
  request: TapeRequest,
  volatile: readonly string[],
  volatileText: readonly RegExp[],
): string | null {
  const body = objectOf(request.body);
  const results = body ? provider.toolResults(orderToolResults(provider, body)) : [];
  return results.length === 0 ? null : matchKey(provider, request, [...volatile, ...results], volatileText);
}
