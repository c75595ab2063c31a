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
  "X-Replay-Match",
].join(", ");

/** Whether CORS is open: for every endpoint that does not require a key. */
export function allowsAnyOrigin({ auth }: Pick<Endpoint, "auth">): boolean {
  return auth !== "required";
}

/** Returns the headers of every response: the request id, CORS if no key is required, and `Vary`. */
export function commonHeaders(
  endpoint: Pick<Endpoint, "auth" | "recognizesKey">,
  requestId: string,
): Record<string, string> {
  const headers: Record<string, string> = { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" };
  if (endpoint.auth !== "none" || endpoint.recognizesKey) headers.Vary = "Authorization";
  if (allowsAnyOrigin(endpoint)) {
    headers["Access-Control-Allow-Origin"] = "*";
    headers["Access-Control-Expose-Headers"] = exposedHeaders;
  }
  return headers;
}
