import { encodeBody, minKnownLength, type Redaction, type RequestBody, redact } from "#lib/replay/cassettes/index";
import type { TapeRequest } from "./tape-request";

/** Returns a JSON value with sorted members, so that files differ only where requests differ. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

/** Shortest text of `redact` in the configuration, in characters. Keys have to be longer: a short one may be a word. */
export const minRedactLength = 3;

/** Returns the keys among some values. */
export function keysOf(values: readonly string[]): string[] {
  return values.filter(({ length }) => length >= minKnownLength);
}

/** Masks secrets in a request, as the recorder does, so that it is compared as it is stored. */
function redactRequest(body: Uint8Array, secrets: readonly string[]): { body: RequestBody; redactions: Redaction[] } {
  const encoded = encodeBody(body);
  if (encoded === null || "b" in encoded) return { body: encoded, redactions: [] };
  const given = "json" in encoded ? encoded.json : encoded.s;
  const clean = redact({ body: { body: given }, headers: {}, chunks: [] }, secrets, minRedactLength);
  const redactions = clean.redactions.map(({ place, ...rest }) => ({ place: place.replace(/^\/body/, ""), ...rest }));
  const value = clean.body.body as typeof given;
  return {
    body: "json" in encoded ? { json: sortMembers(value) as typeof given } : { s: value as string },
    redactions,
  };
}

/** Names of query parameters and headers that contain credentials. */
const credential = /^(?:key|api[-_]?key|access[-_]token|authorization|x-api-key|x-goog-api-key)$/i;

/** A request with its credentials. */
export type RawRequest = {
  method: string;
  host?: string | undefined;
  path: string;
  query: string;
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  body: Uint8Array;
};

/** Returns the credentials of a request, which must not get into a file. */
export function credentialsOf({ headers, query }: Pick<RawRequest, "headers" | "query">): string[] {
  const values = [
    ...Object.entries(headers).flatMap(([name, value]) => (credential.test(name) && value ? [String(value)] : [])),
    ...[...new URLSearchParams(query)].flatMap(([name, value]) => (credential.test(name) ? [value] : [])),
  ];
  return keysOf(values.flatMap((value) => [value, value.replace(/^\S+\s+/, "")]));
}

/** A request as it is stored and compared, and what was masked in it. */
export type ReadRequest = { asked: TapeRequest; redactions: Redaction[] };

/** Reads a request, without its credentials and with the given texts masked. */
export function readRequest({ method, host, path, query, body }: RawRequest, secrets: readonly string[]): ReadRequest {
  const parameters = new URLSearchParams(query);
  for (const name of [...parameters.keys()]) if (credential.test(name)) parameters.delete(name);
  const clean = redactRequest(body, secrets);
  return {
    asked: { method, host, path, query: parameters.toString(), body: clean.body },
    redactions: clean.redactions,
  };
}
