import type { Endpoint } from "./endpoint";

const exposedHeaders = [
  "ETag",
  "Retry-After",
  "X-Request-Id",
  "X-Replay-Source",
  "X-Replay-Cassette",
  "X-Replay-Tokens-Spent",
  "X-Replay-Provenance",
  "X-Replay-Timing",
].join(", ");

/** Headers of every answer: the request's id, and open CORS on what needs no key. */
export function commonHeaders(endpoint: Pick<Endpoint, "auth">, requestId: string): Record<string, string> {
  const headers: Record<string, string> = { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" };
  if (endpoint.auth === "none") {
    headers["Access-Control-Allow-Origin"] = "*";
    headers["Access-Control-Expose-Headers"] = exposedHeaders;
  }
  return headers;
}
