import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { TLSSocket } from "node:tls";
import type { Endpoint } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { playToResponse, streamReplayEndpoint } from "#lib/replay/playback/index";
import { callMcpEndpoint, callMcpSessionEndpoint } from "#lib/server/mcp/index";
import { clientAddress } from "./client-address";
import { dispatch, type Verb } from "./dispatch";
import { answerMcpPost, answerMcpSessionPost } from "./mcp-verbs";
import { refuse } from "./refuse";
import { streamReplay } from "./replay-verb";
import type { Reply } from "./reply";
import { pathOf, type RequestView } from "./request-view";

/**
 * Replay and MCP on a bare `node:http` server, in front of Next: the same endpoints and verbs as the route handlers,
 * without what stands between them and the socket, which is most of a route handler's cost.
 */

const replayPath = /^\/api\/v1\/replay\/([^/?]+)\/([^/?]+)(?:\?|$)/;

function isWellEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}

/** The route handlers know a client by this header alone: it says what the socket says, whatever the client wrote. */
function overwriteForwardedFor(request: IncomingMessage): void {
  const { remoteAddress: socketAddress } = request.socket;
  const address = clientAddress({ socketAddress, header: (name) => headerOf(request, name) }, config());
  request.headers["x-forwarded-for"] = address ?? undefined;
}

function viewOf(request: IncomingMessage, params: Record<string, string>): RequestView {
  return {
    method: request.method ?? "GET",
    target: request.url ?? "/",
    header: (name) => headerOf(request, name),
    headers: () => headersOf(request),
    encrypted: request.socket instanceof TLSSocket,
    get socketAddress() {
      return request.socket.remoteAddress;
    },
    params,
    signal: () => {
      const controller = new AbortController();
      request.once("close", () => controller.abort());
      return controller.signal;
    },
    readBody: (limit) => readBody(request, limit),
  };
}

/** Too large a body is left unread, and the connection whole for the answer that says so. */
async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let byteSize = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    byteSize += part.byteLength;
    if (byteSize > limit) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The stream is cancelled when the client goes away. */
function pipe(stream: ReadableStream<Uint8Array>, response: ServerResponse): void {
  response.flushHeaders();
  pipeline(Readable.fromWeb(stream as WebStream), response, () => undefined);
}

function write(reply: Reply, headOnly: boolean, response: ServerResponse): void {
  response.writeHead(reply.status, reply.headers);
  if (headOnly || reply.body.kind === "none") response.end();
  else if (reply.body.kind === "text") response.end(reply.body.text);
  else if (reply.body.kind === "stream") pipe(reply.body.stream, response);
  else {
    response.flushHeaders();
    playToResponse(reply.body.replay, response);
  }
}

function refuseEncoding(request: IncomingMessage, response: ServerResponse): void {
  const error = new AppError("bad_request", "The path is not percent-encoded UTF-8. Encode its parts again.");
  write(refuse(error), request.method === "HEAD", response);
}

type Bound = { endpoint: Endpoint; verb: Verb<Endpoint> };

function bind<E extends Endpoint>(endpoint: E, verb: Verb<E>): Bound {
  return { endpoint, verb: verb as unknown as Verb<Endpoint> };
}

const replayRoute = bind(streamReplayEndpoint, streamReplay);
const mcpRoutes: Readonly<Record<string, Bound>> = {
  "/api/mcp": bind(callMcpEndpoint, answerMcpPost),
  "/api/mcp/v2": bind(callMcpSessionEndpoint, answerMcpSessionPost),
};

type Found = Bound & { params: Record<string, string> };

function find(method: string | undefined, target: string): Found | undefined {
  if (method === "POST") {
    const route = mcpRoutes[pathOf(target)];
    return route && { ...route, params: {} };
  }
  const match = method === "GET" || method === "HEAD" ? replayPath.exec(target) : null;
  const [vertical, cookbook] = match?.slice(1).map(decodeURIComponent) ?? [];
  return vertical === undefined || cookbook === undefined
    ? undefined
    : { ...replayRoute, params: { vertical, cookbook } };
}

function answer({ endpoint, verb, params }: Found, request: IncomingMessage, response: ServerResponse): void {
  dispatch(endpoint, verb, viewOf(request, params)).then(
    (reply) => {
      if (!response.destroyed) write(reply, request.method === "HEAD", response);
    },
    () => response.destroy(),
  );
}

/**
 * Answers what does not have to reach Next and gives true: replays, calls of MCP, and paths that nothing can decode
 * (which Next turns into a 500). Leaves any other request to Next and gives false; the client's address in it is then
 * the true one.
 */
export function answerBeforeNext(request: IncomingMessage, response: ServerResponse): boolean {
  const target = request.url ?? "/";
  if (!isWellEncoded(pathOf(target))) {
    refuseEncoding(request, response);
    return true;
  }
  const found = find(request.method, target);
  if (found) answer(found, request, response);
  else overwriteForwardedFor(request);
  return found !== undefined;
}
