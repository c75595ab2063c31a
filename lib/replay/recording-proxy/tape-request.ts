import { findDifferences, type JsonDifference } from "#lib/platform/json-difference";
import { withoutPointers } from "#lib/platform/json-pointer";
import { hashJson, objectOf, type RequestBody } from "#lib/replay/cassettes/index";
import type { Provider } from "#lib/replay/providers/index";

/** A complete request to a model provider, without secrets. */
export type TapeRequest = {
  method: string;
  path: string;
  /** Without the question mark and without credentials. */
  query: string;
  body: RequestBody;
};

/** Returns the hash of all that is compared: everything but the fields that clients make up. */
export function matchKey(provider: Provider, request: TapeRequest, volatile: readonly string[]): string {
  const { method, path, query, body } = request;
  const json = objectOf(body);
  const compared = json ? withoutPointers(json, [...provider.volatileFields, ...volatile]) : body;
  return hashJson([provider.name, method, path, query, compared]);
}

/** Returns what a request has that differs from a recorded one; pointers below `/body` are without that prefix. */
export function compareRequests(
  provider: Provider,
  recorded: TapeRequest,
  sent: TapeRequest,
  volatile: readonly string[],
): JsonDifference[] {
  const ignored = [...provider.volatileFields, ...volatile];
  const place = ({ method, path, query }: TapeRequest) => `${method} ${path}${query === "" ? "" : `?${query}`}`;
  const [before, after] = [objectOf(recorded.body), objectOf(sent.body)];
  const differences =
    before && after
      ? findDifferences(withoutPointers(before, ignored), withoutPointers(after, ignored))
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
): string | null {
  const body = objectOf(request.body);
  const results = body ? provider.toolResults(body) : [];
  return results.length === 0 ? null : matchKey(provider, request, [...volatile, ...results]);
}
