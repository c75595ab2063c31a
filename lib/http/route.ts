import { randomUUID } from "node:crypto";
import { AppError } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { commonHeaders, dispatch, type Verb } from "./dispatch";
import type { Endpoint, ErrorShape } from "./endpoint";
import { errorReply } from "./error-reply";
import { emptyReply, type Reply } from "./reply";
import type { RequestView } from "./request-view";
import { toResponse } from "./to-response";

type RouteHandler = (request: Request, route?: { params: Promise<Record<string, string>> }) => Promise<Response>;
type Method = "GET" | "POST" | "DELETE";

type Routes = Record<Method | "HEAD" | "PUT" | "PATCH" | "OPTIONS", RouteHandler>;

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
    // Behind Next the connection is never TLS itself; the platform's proxy says so in X-Forwarded-Proto.
    encrypted: false,
    params: (await route?.params) ?? {},
    readBody: (limit) => readBody(request, limit),
  };
}

/** An endpoint and its verb as the handler of one method. */
export function handle<E extends Endpoint>(endpoint: E, verb: Verb<E>): { endpoint: Endpoint; handler: RouteHandler } {
  return {
    endpoint,
    handler: async (request, route) =>
      toResponse(await dispatch(endpoint, verb, await viewOf(request, route)), request.method === "HEAD"),
  };
}

function allowOf(handled: readonly Endpoint[]): string {
  const own = handled.map(({ method }) => method);
  return [...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

function preflightReply(allow: string, requestHeaders: string | null): Reply {
  return emptyReply(204, {
    Allow: allow,
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers": requestHeaders ?? "Content-Type, Last-Event-ID, If-None-Match",
    "Access-Control-Max-Age": "86400",
    Vary: "Access-Control-Request-Headers",
  });
}

function methodNotAllowed(request: Request, allow: string, shape: ErrorShape): Response {
  const requestId = randomUUID();
  const error = new AppError("method_not_allowed", `${request.method} is not supported here. Use ${allow}.`, {
    headers: { Allow: allow },
  });
  const reply = errorReply(error, shape, requestId, log());
  return toResponse({ ...reply, headers: { ...reply.headers, ...commonHeaders({ auth: "none" }, requestId) } });
}

/** All seven methods of a path: the declared ones, HEAD and OPTIONS beside them, and a JSON 405 for the rest. */
export function routes(...handled: { endpoint: Endpoint; handler: RouteHandler }[]): Routes {
  const endpoints = handled.map(({ endpoint }) => endpoint);
  const allow = allowOf(endpoints);
  const shape = endpoints[0]?.errorShape ?? "tapedeck";
  const find = (method: Method) => handled.find(({ endpoint }) => endpoint.method === method)?.handler;
  const refuse: RouteHandler = async (request) => methodNotAllowed(request, allow, shape);
  return {
    GET: find("GET") ?? refuse,
    HEAD: find("GET") ?? refuse,
    POST: find("POST") ?? refuse,
    DELETE: find("DELETE") ?? refuse,
    PUT: refuse,
    PATCH: refuse,
    OPTIONS: async (request) =>
      toResponse(preflightReply(allow, request.headers.get("access-control-request-headers"))),
  };
}
