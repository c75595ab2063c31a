import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "#lib/replay/providers/index";
import { credentialsOf, type ReadRequest, readRequest } from "./read-request";
import { providerAt, type Upstream } from "./upstreams";

/** A request to the proxy: whom it is for, and its path there. */
export type Incoming = { upstream: Upstream; path: string; query: string; body: Uint8Array };

/** A request as the test sees it. */
export type SeenRequest = { method: string; path: string; body: unknown };

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

/** Returns a call, with its credentials and the given texts as its secrets. */
export function openCall(
  incoming: Incoming,
  request: IncomingMessage,
  response: ServerResponse,
  redacted: readonly string[],
): Call {
  const { path, query, body } = incoming;
  const { headers, method = "GET" } = request;
  const secrets = [...redacted, ...credentialsOf({ headers, query })];
  const seen: SeenRequest = { method, path, body: null };
  let known: ReadRequest | undefined;
  const read = (): ReadRequest => {
    if (known) return known;
    known = readRequest({ method, path, query, headers, body }, secrets);
    const sent = known.asked.body;
    seen.body = sent && "json" in sent ? sent.json : null;
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
