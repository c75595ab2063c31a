import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "#lib/replay/providers/index";
import { redactRequest } from "./store-exchange";
import type { TapeRequest } from "./tape-request";
import { providerAt, type Upstream } from "./upstreams";

/** A request to the proxy: whom it is for, and its path there. */
export type Incoming = { upstream: Upstream; path: string; query: string; body: Uint8Array };

/** A request as the test sees it. */
export type SeenRequest = { method: string; path: string; body: unknown };

type ReadRequest = { asked: TapeRequest; redactions: ReturnType<typeof redactRequest>["redactions"] };

/** A request and its response, while it is answered. */
export type Call = {
  incoming: Incoming;
  request: IncomingMessage;
  response: ServerResponse;
  provider: Provider;
  /** Reads the request, once: masking a long one takes milliseconds, which the client need not wait for. */
  read: () => ReadRequest;
  /** Its body is null until the request has been read. */
  seen: SeenRequest;
  /** Texts that must not get into a file. */
  secrets: readonly string[];
};

/** Names of query parameters and headers that contain credentials. */
const credential = /^(?:key|api[-_]?key|access[-_]token|authorization|x-api-key|x-goog-api-key)$/i;

function credentialsOf(headers: IncomingMessage["headers"], query: URLSearchParams): string[] {
  const values = [
    ...Object.entries(headers).flatMap(([name, value]) => (credential.test(name) && value ? [String(value)] : [])),
    ...[...query].flatMap(([name, value]) => (credential.test(name) ? [value] : [])),
  ];
  return values.flatMap((value) => [value, value.replace(/^\S+\s+/, "")]);
}

/** Returns a call, with its credentials and the given texts as its secrets. */
export function openCall(
  incoming: Incoming,
  request: IncomingMessage,
  response: ServerResponse,
  redacted: readonly string[],
): Call {
  const { path } = incoming;
  const method = request.method ?? "GET";
  const query = new URLSearchParams(incoming.query);
  const secrets = [...redacted, ...credentialsOf(request.headers, query)];
  for (const name of [...query.keys()]) if (credential.test(name)) query.delete(name);
  const seen: SeenRequest = { method, path, body: null };
  let known: ReadRequest | undefined;
  const read = (): ReadRequest => {
    if (known) return known;
    const { body, redactions } = redactRequest(incoming.body, secrets);
    seen.body = body && "json" in body ? body.json : null;
    known = { asked: { method, path, query: query.toString(), body }, redactions };
    return known;
  };
  return {
    incoming,
    request,
    response,
    provider: providerAt(incoming.upstream, { method, path }),
    read,
    seen,
    secrets,
  };
}
