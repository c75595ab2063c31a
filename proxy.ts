import { type NextRequest, NextResponse } from "next/server";
import { trustsProxy } from "#lib/http/client-address";
import { pageHeaders, pathHeader } from "#lib/http/page-headers";
import { config as settings } from "#lib/platform/config";

/** Gives pages their security headers; Next finds the nonce for its scripts in the policy of the request. */
export function proxy(request: NextRequest): NextResponse {
  const forwarded = trustsProxy(settings()) ? request.headers.get("x-forwarded-proto") : null;
  const isSecure = (forwarded ?? request.nextUrl.protocol).startsWith("https");
  const nonce = Buffer.from(crypto.randomUUID()).toString("base64");
  const given = pageHeaders({ path: request.nextUrl.pathname, isSecure, nonce }, settings());
  const headers = new Headers(request.headers);
  headers.set(pathHeader, request.nextUrl.pathname);
  headers.set("Content-Security-Policy", given["Content-Security-Policy"] as string);
  const response = NextResponse.next({ request: { headers } });
  for (const [name, value] of Object.entries(given)) response.headers.set(name, value);
  return response;
}

/** Pages alone: the API and files have headers of their own. */
export const config = { matcher: ["/((?!api/|v1/|_next/|og/|og$|\\.well-known/).*)"] };
