import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { TLSSocket } from "node:tls";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { playToResponse, streamReplayEndpoint } from "#lib/replay/index";
import { clientAddress } from "./client-address";
import { dispatch } from "./dispatch";
import { refuse } from "./refuse";
import { streamReplay } from "./replay-verb";
import type { Reply } from "./reply";
import { pathOf, type RequestView } from "./request-view";

/**
 * Replay on a bare `node:http` server, in front of Next: the same endpoint and verb as the route handler, without the
 * Web stream between them and the socket, which is most of a route handler's cost per chunk.
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
    readBody: async () => new Uint8Array(),
  };
}

function write(reply: Reply, headOnly: boolean, response: ServerResponse): void {
  response.writeHead(reply.status, reply.headers);
  if (headOnly || reply.body.kind === "none") response.end();
  else if (reply.body.kind === "text") response.end(reply.body.text);
  else if (reply.body.kind === "stream") Readable.fromWeb(reply.body.stream as WebStream).pipe(response);
  else {
    response.flushHeaders();
    playToResponse(reply.body.replay, response);
  }
}

function refuseEncoding(request: IncomingMessage, response: ServerResponse): void {
  const error = new AppError("bad_request", "The path is not percent-encoded UTF-8. Encode its parts again.");
  write(refuse(error), request.method === "HEAD", response);
}

function replay(request: IncomingMessage, response: ServerResponse, [, vertical, cookbook]: RegExpExecArray): void {
  const params = {
    vertical: decodeURIComponent(vertical as string),
    cookbook: decodeURIComponent(cookbook as string),
  };
  dispatch(streamReplayEndpoint, streamReplay, viewOf(request, params)).then(
    (reply) => {
      if (!response.destroyed) write(reply, request.method === "HEAD", response);
    },
    () => response.destroy(),
  );
}

/**
 * Answers what does not have to reach Next and gives true: replays, and paths that nothing can decode (which Next
 * turns into a 500). Leaves any other request to Next and gives false; the client's address in it is then the true one.
 */
export function answerBeforeNext(request: IncomingMessage, response: ServerResponse): boolean {
  const target = request.url ?? "/";
  if (!isWellEncoded(pathOf(target))) {
    refuseEncoding(request, response);
    return true;
  }
  const isRead = request.method === "GET" || request.method === "HEAD";
  const match = isRead ? replayPath.exec(target) : null;
  if (match) replay(request, response, match);
  else overwriteForwardedFor(request);
  return match !== null;
}
