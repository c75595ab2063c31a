import type { Endpoint, ErrorShape } from "#lib/contract/endpoint";
import { AppError } from "#lib/platform/errors";
import { playToStream } from "#lib/replay/playback/index";
import { allowsAnyOrigin } from "./common-headers";
import { dispatch, type Verb } from "./dispatch";
import { errorShapeOf, refuse } from "./error-reply";
import { emptyReply, type Reply } from "./reply";
import type { RequestView } from "./request-view";
import { unknownPathMessage } from "./unknown-path";

/** Returns a reply as a web Response. */
export function toResponse(reply: Reply, headOnly = false): Response {
  const { status, headers, body } = reply;
  if (headOnly && body.kind === "stream") void body.stream.cancel();
  if (headOnly || body.kind === "none") return new Response(null, { status, headers });
  if (body.kind === "text") return new Response(body.text, { status, headers });
  if (body.kind === "stream") return new Response(body.stream, { status, headers });
  return new Response(playToStream(body.replay), { status, headers });
}

/** Returns the pattern of an endpoint's path, with a named group for each parameter. */
export function pathPattern({ path }: Pick<Endpoint, "path">): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

type RouteHandler = (request: Request, route?: { params: Promise<Record<string, string>> }) => Promise<Response>;
type Method = "GET" | "POST" | "PATCH" | "DELETE";

type Routes = Record<Method | "HEAD" | "PUT" | "OPTIONS", RouteHandler>;

async function readBody(request: Request, limit: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) return null;
  const parts: Uint8Array[] = [];
  let byteSize = 0;
  for await (const part of request.body ?? []) {
    byteSize += part.byteLength;
    if (byteSize > limit) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function viewOf(request: Request, route?: { params: Promise<Record<string, string>> }): Promise<RequestView> {
  const url = new URL(request.url);
  return {
    method: request.method,
    target: `${url.pathname}${url.search}`,
    header: (name) => request.headers.get(name),
    headers: () => new Headers(request.headers),
    // Next itself never terminates TLS; the platform's proxy sets X-Forwarded-Proto.
    encrypted: false,
    params: (await route?.params) ?? {},
    signal: () => request.signal,
    readBody: (limit) => readBody(request, limit),
  };
}

/** Returns the handler of one method: an endpoint and its verb. */
export function handle<E extends Endpoint>(endpoint: E, verb: Verb<E>): { endpoint: Endpoint; handler: RouteHandler } {
  return {
    endpoint,
    handler: async (request, route) =>
      toResponse(await dispatch(endpoint, verb, await viewOf(request, route)), request.method === "HEAD"),
  };
}

/** Returns the `Allow` header of a path with these endpoints. */
export function allowOf(endpoints: readonly Pick<Endpoint, "method">[]): string {
  const methods = endpoints.map(({ method }) => method);
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

function preflightReply(endpoints: readonly Endpoint[], allow: string, requestHeaders: string | null): Reply {
  if (!endpoints.some(allowsAnyOrigin)) return emptyReply(204, { Allow: allow });
  return emptyReply(204, {
    Allow: allow,
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers":
      requestHeaders ?? "Authorization, Content-Type, Last-Event-ID, If-None-Match, If-Modified-Since",
    "Access-Control-Max-Age": "86400",
    Vary: "Access-Control-Request-Headers",
  });
}

/** Returns the reply to a method that a path does not support; `allow` lists those that it does. */
export function methodNotAllowed(method: string, allow: string, shape?: ErrorShape): Reply {
  const message = `${method} is not supported on this path. Use ${allow}.`;
  return refuse(new AppError("method_not_allowed", message, { headers: { Allow: allow } }), shape);
}

/** Returns the handlers of a path: its declared methods, HEAD and OPTIONS, and a JSON 405 for all others. */
export function routes(...handled: { endpoint: Endpoint; handler: RouteHandler }[]): Routes {
  const endpoints = handled.map(({ endpoint }) => endpoint);
  const allow = allowOf(endpoints);
  const find = (method: Method) => handled.find(({ endpoint }) => endpoint.method === method)?.handler;
  const refuseMethod: RouteHandler = async ({ method }) =>
    toResponse(methodNotAllowed(method, allow, endpoints[0]?.errorShape));
  const preflight: RouteHandler = async (request) =>
    toResponse(preflightReply(endpoints, allow, request.headers.get("access-control-request-headers")));
  return {
    GET: find("GET") ?? refuseMethod,
    HEAD: find("GET") ?? refuseMethod,
    POST: find("POST") ?? refuseMethod,
    DELETE: find("DELETE") ?? refuseMethod,
    PUT: refuseMethod,
    PATCH: find("PATCH") ?? refuseMethod,
    OPTIONS: preflight,
  };
}

/** Answers paths without an endpoint, under /api and where providers have theirs, with a JSON 404. */
export async function unmatched(request: Request): Promise<Response> {
  const shape = errorShapeOf(new URL(request.url).pathname, (name) => request.headers.get(name));
  const error = new AppError("not_found", unknownPathMessage(shape));
  return toResponse(refuse(error, shape), request.method === "HEAD");
}
