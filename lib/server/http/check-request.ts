import type { IncomingMessage } from "node:http";
import { AppError } from "#lib/platform/errors";
import { methodNotAllowed } from "./bindings";
import { emptyReply, type Reply, refuse } from "./reply";
import { hostPattern, pathOf } from "./request";

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

/**
 * Returns the reply to a request that no endpoint and no page can answer: Next.js answers 500 for the target `*` and for
 * undecodable paths, and redirects absolute-form targets to themselves. Changes those to origin form.
 */
export function checkRequest(request: IncomingMessage): Reply | undefined {
  const hostCount = request.headersDistinct.host?.length ?? 0;
  const needsHost = request.httpVersionMinor > 0;
  if (hostCount > 1 || (needsHost && hostCount === 0)) return badRequest("Send one Host header.");
  toOriginForm(request);
  const target = request.url ?? "/";
  if (target === "*" && request.method === "OPTIONS") return emptyReply(204, { Allow: serverMethods });
  if (!target.startsWith("/")) return badRequest("The request target must be a path, or a URL with http or https.");
  return isWellEncoded(pathOf(target)) ? undefined : badRequest("The path is not percent-encoded UTF-8.");
}

/** Returns the reply to a page's request that must not reach Next.js, which answers 500 for TRACE. */
export function checkPageRequest({ method = "GET" }: IncomingMessage): Reply | undefined {
  const allow = pageMethods.join(", ");
  if (method === "OPTIONS") return emptyReply(204, { Allow: allow });
  return pageMethods.includes(method) ? undefined : methodNotAllowed(method, allow);
}
