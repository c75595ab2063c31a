import { parseBoundedJson } from "#lib/platform/bounded-json";
import { findDifferences } from "#lib/platform/json-difference";
import { withoutPointers } from "#lib/platform/json-pointer";
import { type Operation, type Provider, type ProviderRequest, pathInProtocol } from "#lib/replay/providers/index";
import { hashJson, storableText } from "./encoding";
import type { Cassette, Redaction, RequestBody } from "./format";

type StoredRequest = Pick<Cassette["request"], "host" | "path" | "query" | "headers" | "body" | "parent"> & {
  method: string;
};
type JsonObject = Record<string, unknown>;

/** Returns the SHA-256 of a request as a file stores it. */
export function hashRequest({ method, host, path, query, headers, body, parent }: StoredRequest): string {
  return hashJson({ method, host, path, query, headers, body, parent });
}

/** Returns the request that asks a provider for an answer. By default, path and query are those of a streamed request. */
export function answerRequest(
  provider: Provider,
  body: JsonObject,
  redactions: Redaction[] = [],
  place = provider.upstream.pathOf(body, { model: undefined, isStream: body.stream !== false }),
): Omit<Cassette["request"], "sha256"> {
  return { method: "POST", path: place.path, query: place.query, body: { json: body }, redactions };
}

/**
 * Encodes the bytes of a request's body for the file. JSON beyond the bounds is text: what walks through it would take seconds.
 * So is an object with a member `__proto__`, which the schema of the file leaves out.
 */
export function encodeBody(bytes: Uint8Array): RequestBody {
  if (bytes.length === 0) return null;
  const text = storableText(bytes);
  if (text === null) return { b: Buffer.from(bytes).toString("base64") };
  try {
    const body = { json: parseBoundedJson(text) as Extract<RequestBody, { json: unknown }>["json"] };
    if (!Object.hasOwn(objectOf(body) ?? {}, "__proto__")) return body;
  } catch {
    // It is no JSON, or too much of it.
  }
  return { s: text };
}

/** Returns a body that is a JSON object; null for any other. */
export function objectOf(body: RequestBody): JsonObject | null {
  const json = body && "json" in body ? body.json : null;
  return json !== null && typeof json === "object" && !Array.isArray(json) ? (json as JsonObject) : null;
}

/** Returns a request as the provider's functions take it. With a parent, it lacks the turns that the parent has. */
export function providerRequest({ method, path, query, body }: StoredRequest): ProviderRequest {
  return { method, path, query, body: objectOf(body) };
}

/**
 * Returns the hash by which equal requests are recognized: without the fields that clients make up, the model's name and
 * whether the answer is streamed. Requests for an answer are compared by their bodies alone, because some providers
 * write the model and the form of the answer into the path; those for embeddings and token counts without what gateways,
 * versions and keys add to the protocol's path.
 */
export function hashForMatch(provider: Provider, request: StoredRequest): string {
  const { method, path, query, body } = request;
  const json = objectOf(body);
  const ignored = [...provider.volatileFields, ...provider.choiceFields];
  const compared = json ? { json: withoutPointers(json, ignored) } : body;
  const operation = provider.operationOf({ method, path });
  const isWhole = operation === null || operation === "models" || operation === "other";
  const place = isWhole
    ? [method, path, query]
    : pathInProtocol(provider, { method, path }).replace(/^\/v\d\w*(?=\/)/, "");
  return hashJson([provider.name, operation === "generate" ? operation : place, compared]);
}

/** What a recorded request is matched by. */
export type MatchKey = {
  operation: Operation;
  /** `hashForMatch` of the complete request. */
  hash: string;
  /** Model that was asked for; null if the request names none. */
  model: string | null;
  /** Number of earlier answers in the complete request: 0 for the first turn of a conversation. */
  answers: number;
  /** Ids of the response and tool calls that the request continues, sorted. */
  answeredIds: string[];
  /** Whether it asks for the usage at the end of a stream, where that has to be asked for. */
  asksUsage: boolean;
};

export function isFirstTurn({ answers, answeredIds }: MatchKey): boolean {
  return answers === 0 && answeredIds.length === 0;
}

export function matchKeyOf(provider: Provider, request: StoredRequest): MatchKey {
  const { model, assistantTurns, answeredIds, asksUsage = false } = provider.readQuestion(providerRequest(request));
  const { parent } = request;
  return {
    operation: provider.operationOf(request) ?? "other",
    hash: parent?.match_sha256 ?? hashForMatch(provider, request),
    model,
    answers: parent?.answers ?? assistantTurns,
    answeredIds: [...answeredIds].sort(),
    asksUsage,
  };
}

/** Returns the body of a complete request, given that of its parent. Returns null if they do not fit together. */
export function joinParent(
  child: Pick<StoredRequest, "body" | "parent">,
  parentBody: JsonObject | null,
): JsonObject | null {
  const own = objectOf(child.body);
  if (!child.parent?.omitted || !own) return own;
  const name = child.parent.field.slice(1);
  const [before, after] = [parentBody?.[name], own[name]];
  if (!Array.isArray(before) || !Array.isArray(after) || before.length < child.parent.omitted) return null;
  return { ...own, [name]: [...before.slice(0, child.parent.omitted), ...after] };
}

/** Removes from a request what its parent already has: the items at the start of the history that are equal in both. */
export function omitShared(
  body: JsonObject,
  parent: { id: string; body: JsonObject },
  field: string,
): { body: JsonObject; parent: Pick<NonNullable<StoredRequest["parent"]>, "id" | "field" | "omitted"> } {
  const name = field.slice(1);
  const [before, after] = [parent.body[name], body[name]];
  if (!Array.isArray(before) || !Array.isArray(after)) return { body, parent: { id: parent.id, field, omitted: 0 } };
  const differing = after.findIndex(
    (item, index) => index >= before.length || findDifferences(item, before[index], 1).length > 0,
  );
  const omitted = differing < 0 ? after.length : differing;
  return { body: { ...body, [name]: after.slice(omitted) }, parent: { id: parent.id, field, omitted } };
}
