import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { TLSSocket } from "node:tls";
import type { Endpoint } from "#lib/contract/endpoint";
import { config } from "#lib/platform/config";
import { observer } from "#lib/platform/observer";
import {
  countTokensEndpoint,
  createChatCompletionEndpoint,
  createEmbeddingEndpoint,
  createMessageEndpoint,
  createOllamaChatEndpoint,
  createResponseEndpoint,
  generateContentEndpoint,
  playToResponse,
  streamReplayEndpoint,
} from "#lib/replay/playback/index";
import { callMcpEndpoint, callMcpSessionEndpoint } from "#lib/server/mcp/index";
import { requestCheck } from "./check-request";
import { dispatch, type Verb } from "./dispatch";
import {
  countRequestTokens,
  createChatCompletion,
  createEmbedding,
  createMessage,
  createOllamaChat,
  createResponse,
  generateContent,
} from "./drop-in-verb";
import { clientAddress } from "./forwarded-headers";
import { answerMcpPost, answerMcpSessionPost } from "./mcp-verbs";
import { PageQueue, pageBounds } from "./page-queue";
import { withPageResponse } from "./page-response";
import { streamReplay } from "./replay-verb";
import type { Reply } from "./reply";
import { RequestSlots } from "./request-slots";
import { pathOf, type RequestView } from "./request-view";
import { pathPattern } from "./route";

/**
 * Answers replay, drop-in and MCP requests on `node:http`, in front of Next: the same endpoints and verbs as the route
 * handlers, without the overhead of Next, which is most of a route handler's cost.
 */

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

/** Returns the client's address; null if unknown. */
function addressOf(request: IncomingMessage): string | null {
  const { remoteAddress: socketAddress } = request.socket;
  return clientAddress({ socketAddress, header: (name) => headerOf(request, name) }, config());
}

/** Returns the view of a Node.js request. Its signal aborts when the response ends or the client disconnects. */
export function viewOf(
  request: IncomingMessage,
  response: ServerResponse,
  params: Record<string, string>,
): RequestView {
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
      // The request's own "close" comes as soon as its body was read.
      response.once("close", () => controller.abort());
      return controller.signal;
    },
    readBody: (limit) => readBody(request, limit),
  };
}

/** Most bytes of a body that is too large which are discarded, so that the connection can be used again. */
const maxDiscardedByteSize = 4 * 1024 * 1024;

/** Discards the rest of a body; of a very large one only a part, and the connection is closed by its timeout. */
function discardRest(request: IncomingMessage): void {
  let byteSize = 0;
  request.on("data", (part: Uint8Array) => {
    byteSize += part.byteLength;
    if (byteSize > maxDiscardedByteSize) request.pause();
  });
  request.on("error", () => undefined);
}

/** Stops keeping a body that is too large. The connection stays open for the error response. */
async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let byteSize = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    byteSize += part.byteLength;
    if (byteSize > limit) {
      setImmediate(discardRest, request);
      return null;
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Sends a stream, which is cancelled when the client disconnects. */
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

type Route = { pattern: RegExp; endpoint: Endpoint; verb: Verb<Endpoint> };

/** Binds an endpoint to its verb. */
function route<E extends Endpoint>(endpoint: E, verb: Verb<E>): Route {
  return { pattern: pathPattern(endpoint), endpoint, verb: verb as unknown as Verb<Endpoint> };
}

const routes = [
  route(streamReplayEndpoint, streamReplay),
  route(createMessageEndpoint, createMessage),
  route(countTokensEndpoint, countRequestTokens),
  route(createChatCompletionEndpoint, createChatCompletion),
  route(createResponseEndpoint, createResponse),
  route(createEmbeddingEndpoint, createEmbedding),
  route(generateContentEndpoint, generateContent),
  route(createOllamaChatEndpoint, createOllamaChat),
  route(callMcpEndpoint, answerMcpPost),
  route(callMcpSessionEndpoint, answerMcpSessionPost),
];

/** Returns the path of an endpoint for the other paths that clients use. `next.config.ts` rewrites the same paths. */
function declaredPath(path: string): string {
  return (
    path
      // Gemini has its methods in two versions of its API, and @google/genai uses this one since version 3.
      .replace(/^\/v1(?=\/models\/[^/:]+:(?:generateContent|streamGenerateContent)$)/, "/v1beta")
      // Clients that add /v1 to a base URL which ends with it.
      .replace(/^\/v1(?=\/v1\/)/, "")
  );
}

type Found = Omit<Route, "pattern"> & { params: Record<string, string> };

function findRoute(requestMethod = "GET", path: string): Found | undefined {
  const method = requestMethod === "HEAD" ? "GET" : requestMethod;
  for (const { pattern, endpoint, verb } of routes) {
    const match = endpoint.method === method ? pattern.exec(path) : null;
    if (!match) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { endpoint, verb, params: Object.fromEntries(params) };
  }
  return undefined;
}

function answer({ endpoint, verb, params }: Found, request: IncomingMessage, response: ServerResponse): void {
  dispatch(endpoint, verb, viewOf(request, response, params)).then(
    (reply) => {
      if (!response.destroyed) write(reply, request.method === "HEAD", response);
    },
    () => response.destroy(),
  );
}

/**
 * Answers replays, drop-in requests and MCP calls, and returns true. Returns false for any other request, which Next.js
 * answers; its `X-Forwarded-For` is then the client's real address.
 */
export function answerBeforeNext(request: IncomingMessage, response: ServerResponse): boolean {
  const found = findRoute(request.method, declaredPath(pathOf(request.url ?? "/")));
  if (found) answer(found, request, response);
  // Route handlers know the client only by this header, so it overwrites the client's value.
  else request.headers["x-forwarded-for"] = addressOf(request) ?? undefined;
  return found !== undefined;
}

/** First segments that belong to endpoints, to Next.js and to share images. */
const otherPaths = /^\/(?:api|v1|v1beta|metrics|_next|og|\.well-known)(?:\/|$)/;

/** Whether a path may belong to a page. Files and documents, which are not pages, have a dot in their last segment. */
function isPagePath(path: string): boolean {
  return !otherPaths.test(path) && !path.slice(path.lastIndexOf("/")).includes(".");
}

/** Observes a page that Next.js is about to answer. */
function observePage({ method = "GET" }: IncomingMessage, response: ServerResponse): void {
  const observing = observer();
  if (!observing) return;
  const startedMs = performance.now();
  response.once("finish", () => observing.answered("page", method, response.statusCode, performance.now() - startedMs));
}

/** Answers a request, calling `next` if Next.js has to answer it. */
export type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Returns the handler that runs before Next.js. It also answers requests that must not reach Next.js and those of clients
 * with too many requests in progress, and queues pages.
 */
export function handlerBeforeNext(endpoints: readonly Endpoint[]): Handler {
  const check = requestCheck(endpoints);
  const slots = new RequestSlots();
  const pages = new PageQueue(pageBounds);
  return (request, response, next) => {
    const address = addressOf(request);
    let reply = check(request) ?? slots.take(address, request, response);
    if (!reply && !answerBeforeNext(request, response)) {
      const answerInNext = () => withPageResponse(response, next);
      const answerPage = () => {
        observePage(request, response);
        answerInNext();
      };
      if (isPagePath(pathOf(request.url ?? "/"))) reply = pages.add(address, response, answerPage);
      else answerInNext();
    }
    if (reply) write(reply, request.method === "HEAD", response);
  };
}
