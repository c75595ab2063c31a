import type { IncomingMessage } from "node:http";
import type { Endpoint } from "#lib/contract/endpoint";
import { AppError } from "#lib/platform/errors";
import { refuse } from "./error-reply";
import { hostPattern } from "./forwarded-headers";
import { emptyReply, type Reply } from "./reply";
import { pathOf } from "./request-view";
import { allowOf, methodNotAllowed, pathPattern } from "./route";

/**
 * Checks requests that Next.js does not answer properly, before they reach it: it answers 500 for the target `*`, for
 * undecodable paths and for TRACE, redirects absolute-form targets to themselves, and redirects requests with the header
 * `RSC`, which only its own pages send.
 */

/** Methods that Next.js passes to the handlers of a route, which answer 405 themselves. */
const routedMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Methods that endpoints and pages have in common. */
const ordinaryMethods = new Set(["GET", "HEAD", "POST"]);
/** Methods of pages and files. POST is for the server actions of pages. */
const pageMethods = ["GET", "HEAD", "POST", "OPTIONS"];
const serverMethods = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";

const absoluteForm = /^https?:\/\/(?:[^/?#@]*@)?(?<host>[^/?#@]+)(?<rest>.*)$/i;

function badRequest(message: string): Reply {
  return refuse(new AppError("bad_request", message));
}

function isWellEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
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

/** Returns the names of the headers with which the scripts of pages ask Next.js for a part of a page. */
function routerHeadersOf({ headers }: IncomingMessage): string[] {
  return Object.keys(headers).filter((name) => name === "rsc" || name.startsWith("next-"));
}

type Pattern = { pattern: RegExp; endpoint: Endpoint };

function checkEndpointRequest(request: IncomingMessage, found: readonly Endpoint[]): Reply | undefined {
  for (const name of routerHeadersOf(request)) delete request.headers[name];
  const { method = "GET" } = request;
  if (routedMethods.has(method)) return undefined;
  const [endpoint] = found;
  if (!endpoint) return refuse(new AppError("not_found", "Not found. GET /openapi.json lists all endpoints."));
  return methodNotAllowed(method, allowOf(found), endpoint.errorShape);
}

function checkPageRequest({ method = "GET" }: IncomingMessage): Reply | undefined {
  const allow = pageMethods.join(", ");
  if (method === "OPTIONS") return emptyReply(204, { Allow: allow });
  return pageMethods.includes(method) ? undefined : methodNotAllowed(method, allow);
}

/**
 * Returns the function that checks a request, given all endpoints. It changes an absolute-form target to origin form, and
 * returns the reply to a request that must not reach Next.js.
 */
export function requestCheck(endpoints: readonly Endpoint[]): (request: IncomingMessage) => Reply | undefined {
  const patterns: Pattern[] = endpoints.map((endpoint) => ({ pattern: pathPattern(endpoint), endpoint }));
  return (request) => {
    const hostCount = request.headersDistinct.host?.length ?? 0;
    const needsHost = request.httpVersionMinor > 0;
    if (hostCount > 1 || (needsHost && hostCount === 0)) return badRequest("Send one Host header.");
    toOriginForm(request);
    const target = request.url ?? "/";
    if (target === "*" && request.method === "OPTIONS") return emptyReply(204, { Allow: serverMethods });
    if (!target.startsWith("/")) return badRequest("The request target must be a path, or a URL with http or https.");
    const path = pathOf(target);
    if (!isWellEncoded(path)) return badRequest("The path is not percent-encoded UTF-8.");
    // Almost all requests end here, without a look at the endpoints.
    if (ordinaryMethods.has(request.method ?? "GET") && routerHeadersOf(request).length === 0) return undefined;
    const found = patterns.filter(({ pattern }) => pattern.test(path)).map(({ endpoint }) => endpoint);
    const isApi = found.length > 0 || /^\/(?:api|v1|v1beta)(?:\/|$)/.test(path);
    return isApi ? checkEndpointRequest(request, found) : checkPageRequest(request);
  };
}
