import type { Endpoint } from "#lib/contract/endpoint";

const exposedHeaders = [
  "ETag",
  "Retry-After",
  "WWW-Authenticate",
  "X-Content-Security-Score",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
  "X-Replay-Source",
  "X-Replay-Cassette",
  "X-Replay-Tokens-Spent",
  "X-Replay-Provenance",
  "X-Replay-Timing",
].join(", ");

/** Whether scripts of other origins may ask: wherever a key is not required. */
export function isOpen({ auth }: Pick<Endpoint, "auth">): boolean {
  return auth !== "required";
}

/** Headers of every answer: the request's id, open CORS on what needs no key, and what the answer depends on. */
export function commonHeaders(endpoint: Pick<Endpoint, "auth">, requestId: string): Record<string, string> {
  const headers: Record<string, string> = { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" };
  if (endpoint.auth !== "none") headers.Vary = "Authorization";
  if (isOpen(endpoint)) {
    headers["Access-Control-Allow-Origin"] = "*";
    headers["Access-Control-Expose-Headers"] = exposedHeaders;
  }
  return headers;
}
