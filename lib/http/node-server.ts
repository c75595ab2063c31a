import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import { playToResponse, streamReplayEndpoint } from "#lib/replay/index";
import { dispatch } from "./dispatch";
import { streamReplay } from "./replay-verb";
import type { Reply } from "./reply";
import type { RequestView } from "./request-view";

/**
 * Replay on a bare `node:http` server, in front of Next: the same endpoint and verb as the route handler, without the
 * Web stream between them and the socket, which is most of a route handler's cost per chunk.
 */

const replayPath = /^\/api\/v1\/replay\/([^/?]+)\/([^/?]+)(?:\?|$)/;

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

function viewOf(request: IncomingMessage, params: Record<string, string>): RequestView {
  return {
    method: request.method ?? "GET",
    target: request.url ?? "/",
    header: (name) => headerOf(request, name),
    encrypted: request.socket instanceof TLSSocket,
    params,
    readBody: async () => new Uint8Array(),
  };
}

function write(reply: Reply, headOnly: boolean, response: ServerResponse): void {
  response.writeHead(reply.status, reply.headers);
  if (headOnly || reply.body.kind === "none") response.end();
  else if (reply.body.kind === "text") response.end(reply.body.text);
  else {
    response.flushHeaders();
    playToResponse(reply.body.replay, response);
  }
}

/** Answers a replay request and gives true; leaves any other request untouched and gives false. */
export function answerReplay(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const match = replayPath.exec(request.url ?? "");
  if (!match) return false;
  const params = { vertical: decode(match[1] as string), cookbook: decode(match[2] as string) };
  dispatch(streamReplayEndpoint, streamReplay, viewOf(request, params)).then(
    (reply) => {
      if (!response.destroyed) write(reply, request.method === "HEAD", response);
    },
    () => response.destroy(),
  );
  return true;
}
