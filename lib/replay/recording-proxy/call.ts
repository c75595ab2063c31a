import type { IncomingMessage, ServerResponse } from "node:http";
import { upstreamUrl } from "#lib/replay/cassettes/index";
import type { Provider } from "#lib/replay/providers/index";
import type { Mode, SessionOptions } from "./config";
import { forward } from "./forward";
import { formatSentAt } from "./moved-times";
import { credentialsOf, type ReadRequest, readRequest } from "./read-request";
import { localDay } from "./run-place";
import type { Origin } from "./seal-exchange";
import { type SeenRequest, seeRequest } from "./seen-request";
import { providerAt, type Upstream, withoutPlaceholder } from "./upstreams";

/** A request to the proxy: whom it is for, and its path there. */
export type Incoming = { upstream: Upstream; path: string; query: string; body: Uint8Array };

/** A request, while it is answered. */
export type RecordedCall = {
  incoming: Incoming;
  request: IncomingMessage;
  provider: Provider;
  /** Reads the request, once: masking a long one takes milliseconds, which the client need not wait for. */
  read: () => ReadRequest;
  /** Its body is null until the request has been read. */
  seen: SeenRequest;
  /** Texts that must not get into a file. */
  secrets: readonly string[];
};

export type Call = RecordedCall & { response: ServerResponse };

/** Returns a call, with its credentials and the given texts as its secrets. */
export function openCall(
  incoming: Incoming,
  request: IncomingMessage,
  {
    secrets: given,
    allowed,
    comparedHeaders,
    place,
  }: Pick<SessionOptions, "secrets" | "allowed" | "comparedHeaders" | "place">,
): RecordedCall {
  const { upstream, path, query, body } = incoming;
  const provider = providerAt(upstream, { method: request.method ?? "GET", path });
  const { headers, method = "GET" } = request;
  const secrets = [...given, ...credentialsOf({ headers, query })];
  const { host } = addressOf(incoming);
  const seen = seeRequest(request, { method, host, path, body: null }, { secrets, allowed });
  let known: ReadRequest | undefined;
  const now = new Date();
  const read = (): ReadRequest => {
    if (known) return known;
    known = readRequest({ method, host: upstream.host, path, query, headers, body }, secrets, allowed, comparedHeaders);
    Object.assign(known.asked, { place: { ...place, day: localDay(now) }, sentAt: formatSentAt(now) });
    const sent = known.asked.body;
    seen.body = sent && "json" in sent ? sent.json : null;
    return known;
  };
  return { incoming, request, provider, read, seen, secrets };
}

/** Returns where a recording comes from, without credentials: its base URL, and the server that was asked in its place. */
export function originOf({ upstream }: Incoming): Origin {
  const { address } = upstream;
  const { origin, pathname } = upstreamUrl(upstream.baseUrl, { path: "/", query: "" });
  return {
    kind: "recorded",
    timing: "measured",
    clock: "monotonic",
    boundary: "http-read",
    source: {
      base_url: origin + pathname.replace(/\/+$/, ""),
      ...(address === undefined ? {} : { address: new URL(address).origin }),
    },
  };
}

/** Returns who sent a call where to, if it was intercepted on its way. */
export function senderOf({ incoming, request }: Pick<RecordedCall, "incoming" | "request">): {
  host?: string;
  client?: string;
} {
  const { host } = incoming.upstream;
  const client = request.headers["user-agent"]?.slice(0, 200);
  return host === undefined ? {} : { host, ...(client === undefined ? {} : { client }) };
}

/** Returns where a call is sent, and the host that it asks for. */
export function addressOf(incoming: Omit<Incoming, "body">): { url: URL; host: string } {
  const { baseUrl, address } = incoming.upstream;
  const asked = upstreamUrl(baseUrl, incoming);
  if (address === undefined) return { url: asked, host: asked.host };
  const url = new URL(address);
  // Not parsed as a whole: a path that begins with two slashes would be another host.
  url.pathname = asked.pathname;
  url.search = asked.search;
  return { url, host: asked.host };
}

/** Returns which server answers a call in the place of its host; undefined if the host itself does. */
export function describeAddress(incoming: Incoming): string | undefined {
  const { url, host } = addressOf(incoming);
  return incoming.upstream.address === undefined ? undefined : `${host} at ${url.origin}`;
}

/** Sends a call on to its server. Throws UpstreamError. */
export function forwardCall(
  { incoming, request, response }: Call,
  { mode, signal, isHeld }: { mode: Mode; signal: AbortSignal; isHeld: boolean },
) {
  const { method = "GET" } = request;
  const headers = mode === "live" ? withoutPlaceholder(request.headers) : request.headers;
  const markers = { "x-tapedeck": mode === "live" ? "live" : "recorded" };
  const input = { ...addressOf(incoming), method, headers, body: incoming.body, signal };
  return forward(input, response, { markers, isHeld });
}
