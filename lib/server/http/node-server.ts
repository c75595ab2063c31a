import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import { parseAndValidateFlightRouterState } from "next/dist/server/app-render/parse-and-validate-flight-router-state";
import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { observer } from "#lib/platform/observer";
import { answer, findGroup, type Group, methodNotAllowed, openPreflight, refuseAt, undecodablePath } from "./bindings";
import { RequestSlots } from "./client-bounds";
import { requestContext } from "./context";
import { keptMs, PageCache } from "./page-cache";
import { PageQueue, pageBounds } from "./page-queue";
import { withPageResponse } from "./page-response";
import { emptyReply, type Reply, refuse, tapedeckErrors, writeReply } from "./reply";
import {
  clientAddress,
  hostPattern,
  isProgramPost,
  isSecure,
  pathOf,
  type RequestView,
  trustedProxyCount,
} from "./request";

/** Longest part of a path that an error shows, in characters. */
const maxShownLength = 200;

/** Methods of pages and files. POST is for the server actions of pages. */
const pageMethods = ["GET", "HEAD", "POST", "OPTIONS"];
const serverMethods = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";

const absoluteForm = /^https?:\/\/(?:[^/?#@]*@)?(?<host>[^/?#@]+)(?<rest>.*)$/i;

function badRequest(message: string): Reply {
  return refuse(new AppError("bad_request", message));
}

/** Changes an absolute-form target to origin form. Its host replaces the header `Host` (RFC 9112, section 3.2.2). */
function toOriginForm(request: IncomingMessage): void {
  const { host, rest = "" } = absoluteForm.exec(request.url ?? "")?.groups ?? {};
  if (host === undefined || !hostPattern.test(host)) return;
  request.headers.host = host;
  request.headersDistinct.host = [host];
  if (rest === "" && request.method === "OPTIONS") request.url = "*";
  else request.url = rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Returns the reply to a request that no endpoint and no page can answer: Next.js answers 500 for the target `*`, and
 * redirects absolute-form targets to themselves. Changes those to origin form.
 */
function checkRequest(request: IncomingMessage): Reply | undefined {
  const hostCount = request.headersDistinct.host?.length ?? 0;
  const needsHost = request.httpVersionMinor > 0;
  if (hostCount > 1 || (needsHost && hostCount === 0)) return badRequest("Send one Host header.");
  toOriginForm(request);
  const target = request.url ?? "/";
  if (target === "*" && request.method === "OPTIONS") return emptyReply(204, { Allow: serverMethods });
  if (!target.startsWith("/")) return badRequest("The request target must be a path, or a URL with http or https.");
  return undefined;
}

/** Whether a browser asks for a page, and not a program for anything. */
function asksForPage({ method, headers }: IncomingMessage, path: string): boolean {
  return (method === "GET" || method === "HEAD") && isPagePath(path) && /\btext\/html\b/i.test(headers.accept ?? "");
}

/** Whether a client asks for JSON, as programs do, and no page would do. */
function asksForJson({ headers: { accept = "" } }: IncomingMessage): boolean {
  return /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
}

/** Whether Next.js can parse the state of a page that its own client sends, if there is one. */
function hasRouterState(request: IncomingMessage): boolean {
  try {
    parseAndValidateFlightRouterState(headerOf(request, "next-router-state-tree") ?? undefined);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the reply to a page's request that must not reach Next.js, which answers 500 for TRACE, undecodable paths and
 * states of pages that it cannot parse. A browser gets the page for addresses that name nothing: its percent signs become
 * ones that can be decoded.
 */
function checkPageRequest(request: IncomingMessage): Reply | undefined {
  const { method = "GET", url = "/" } = request;
  const path = pathOf(url);
  const undecodable = undecodablePath(path);
  if (undecodable && !asksForPage(request, path)) return refuse(undecodable);
  if (undecodable) request.url = path.replaceAll("%", "%25") + url.slice(path.length);
  if (!hasRouterState(request)) return badRequest("The header Next-Router-State-Tree cannot be parsed.");
  const allow = pageMethods.join(", ");
  if (method === "OPTIONS") return openPreflight(headerOf(request, "access-control-request-headers"), allow);
  if (isProgramPost(method, (name) => headerOf(request, name)))
    return refuse(new AppError("not_found", tapedeckErrors.notFound));
  return pageMethods.includes(method) ? undefined : methodNotAllowed(method, allow);
}

/** Returns the error for a program whose base URL ends with the slash that its client adds; undefined for other requests. */
function refuseDoubledSlash(groups: readonly Group[], view: Omit<RequestView, "params">): Promise<Reply> | undefined {
  const path = pathOf(view.target);
  const target = path.replaceAll(/\/{2,}/g, "/");
  const group = target === path ? undefined : findGroup(groups, target);
  if (!group || !isProgramPost(view.method, view.header)) return undefined;
  const message = `The path ${path.slice(0, maxShownLength)} has two slashes in a row. Remove the one at the end of the base URL of your client.`;
  return refuseAt(group, { target, header: view.header }, new AppError("not_found", message));
}

/**
 * Answers the requests of all endpoints on `node:http`, in front of Next, without its overhead, which is most of the cost
 * of a route handler. Next answers pages and files.
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

/** Tells a client that waits with the body to send it. The only expectation that Node.js lets through is this one. */
function sendContinue({ headers, httpVersionMinor }: IncomingMessage, response: ServerResponse): void {
  if (headers.expect !== undefined && httpVersionMinor > 0) response.writeContinue();
}

/** Returns the view of a Node.js request. Its signal aborts when the client disconnects before the response is complete. */
export function viewOf(request: IncomingMessage, response: ServerResponse): Omit<RequestView, "params"> {
  let closed: AbortController | undefined;
  return {
    method: request.method ?? "GET",
    target: request.url ?? "/",
    header: (name) => headerOf(request, name),
    headers: () => headersOf(request),
    encrypted: request.socket instanceof TLSSocket,
    get socketAddress() {
      return request.socket.remoteAddress;
    },
    signal: () => {
      const controller = closed ?? new AbortController();
      // The request's own "close" comes as soon as its body was read.
      if (!closed) response.once("close", () => response.writableFinished || controller.abort());
      closed = controller;
      if (response.destroyed) controller.abort();
      return controller.signal;
    },
    readBody: (limit) => {
      const { expect, "content-length": byteSize } = request.headers;
      // Without `Expect`, the body is on its way, and the connection can only be used again once it has been read.
      if (expect !== undefined && Number(byteSize) > limit) return Promise.resolve(null);
      sendContinue(request, response);
      return readBody(request, limit);
    },
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
function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let byteSize = 0;
  return new Promise((resolve, reject) => {
    const keep = (part: Uint8Array) => {
      byteSize += part.byteLength;
      if (byteSize <= limit) parts.push(part);
      else {
        request.off("data", keep);
        discardRest(request);
        resolve(null);
      }
    };
    request.on("data", keep);
    request.once("end", () => resolve(Buffer.concat(parts)));
    request.once("error", reject);
    // The client has left before: there are no more events.
    if (request.destroyed) reject(new DOMException("The client has disconnected.", "AbortError"));
  });
}

/** First segments that belong to Next.js and to share images. */
const otherPaths = /^\/(?:_next|og|\.well-known)(?:\/|$)/;

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

/** Names a page by what it depends on: its path, and the address and site of the request. */
function pageKey(view: Omit<RequestView, "params">, path: string): string {
  const { origin, site } = requestContext(view, "page");
  return `${isSecure(view, trustedProxyCount(config()))} ${origin} ${site.slug} ${path}`;
}

/** Answers a request, calling `next` if Next.js has to answer it. */
export type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Returns the handler that runs before Next.js. It answers the requests of endpoints, those that must not reach Next.js and
 * those of clients with too many requests in progress, and queues pages and searches.
 */
export function handlerBeforeNext(groups: readonly Group[]): Handler {
  const slots = new RequestSlots();
  const pages = new PageQueue(pageBounds);
  const kept = new PageCache();

  return (request, response, handle) => {
    const next = () => {
      sendContinue(request, response);
      handle();
    };
    const write = (reply: Reply) => {
      if (!response.destroyed) writeReply(reply, request.method === "HEAD", response);
    };
    const writeWhenDone = (reply: Promise<Reply>) => void reply.then(write).catch(() => response.destroy());

    const refusal = checkRequest(request);
    if (refusal) return write(refusal);
    const address = addressOf(request);
    const view = viewOf(request, response);
    const path = pathOf(view.target);
    const found = findGroup(groups, path);
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isPageRequest = isRead && found?.pages?.test(path) && !asksForJson(request);
    const group = isPageRequest ? undefined : found;
    const tooMany = slots.take(address, response);
    if (tooMany) return writeWhenDone(refuseAt(group, view, tooMany));
    if (group?.isQueued?.(path)) {
      const refused = pages.add(address, response, () => writeWhenDone(answer(group, view)));
      return refused && writeWhenDone(refuseAt(group, view, refused));
    }
    if (group) return writeWhenDone(answer(group, view));
    const doubled = refuseDoubledSlash(groups, view);
    if (doubled) return writeWhenDone(doubled);
    const pageRefusal = checkPageRequest(request);
    if (pageRefusal) return write(pageRefusal);
    // Pages know the client only by this header, so it overwrites the client's value.
    request.headers["x-forwarded-for"] = address ?? undefined;
    if (!isPagePath(path)) return withPageResponse(response, next);
    const maxAgeMs = keptMs(request);
    const key = maxAgeMs > 0 ? pageKey(view, path) : undefined;
    const answerKept = () => key !== undefined && kept.answer(key, request, response);
    if (answerKept()) return observePage(request, response);
    const busy = pages.add(address, response, () => {
      observePage(request, response);
      // Another request may have rendered the page while this one waited.
      if (answerKept()) return;
      if (key !== undefined) kept.keep(key, maxAgeMs, request, response);
      withPageResponse(response, next);
    });
    if (busy) write(refuse(busy));
  };
}
