import { type NextRequest, NextResponse } from "next/server";
import { findPageState } from "#app/missing-page";
import { config as settings } from "#lib/platform/config";
import { retryAfter } from "#lib/platform/database/unavailable";
import { pageContext } from "#lib/server/http/context";
import { isSecure, trustedProxyCount } from "#lib/server/http/forwarded-headers";
import { pageHeaders, pathHeader, unavailableHeader } from "#lib/server/http/page-headers";

/** A URL that matches no page, for which Next.js renders the 404 page. */
function notFoundUrl({ nextUrl }: NextRequest): URL {
  const url = nextUrl.clone();
  url.pathname = "/not-found";
  return url;
}

/**
 * Adds the security headers to pages, rewrites missing pages to the 404 page, and sets the status 503 of pages whose
 * database does not answer; these render without trying again. Next.js takes the nonce for its scripts
 * from the policy in the request's headers.
 */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname } = request.nextUrl;
  const view = { header: (name: string) => request.headers.get(name), encrypted: false };
  const nonce = Buffer.from(crypto.randomUUID()).toString("base64");
  const given = pageHeaders(
    { path: pathname, isSecure: isSecure(view, trustedProxyCount(settings())), nonce },
    settings(),
  );
  const headers = new Headers(request.headers);
  headers.set(pathHeader, pathname);
  headers.set("Content-Security-Policy", given["Content-Security-Policy"] as string);
  headers.delete(unavailableHeader);
  const state = await findPageState(pageContext(headers), pathname);
  const isUnavailable = state === "unavailable";
  if (isUnavailable) headers.set(unavailableHeader, "1");
  const init = { request: { headers }, ...(isUnavailable && { status: 503, headers: retryAfter }) };
  const response = state === "missing" ? NextResponse.rewrite(notFoundUrl(request), init) : NextResponse.next(init);
  for (const [name, value] of Object.entries(given)) response.headers.set(name, value);
  return response;
}

/** Only pages: the API and files set their own headers. */
export const config = { matcher: ["/((?!api/|v1/|_next/|og/|og$|\\.well-known/).*)"] };
