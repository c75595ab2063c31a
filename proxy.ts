import { type NextRequest, NextResponse } from "next/server";
import { clientPaths } from "#app/client-paths";
import { isUnknownDocsPage } from "#app/unknown-docs-page";
import { docsSlugs, config as settings } from "#lib/platform/config";
import { newNonce, pageHeaders, pathHeader } from "#lib/server/http/page-headers";
import { isProgramPost, isSecure, trustedProxyCount } from "#lib/server/http/request";

/** A URL that matches no page, for which Next.js renders the 404 page. */
function notFoundUrl({ nextUrl }: NextRequest): URL {
  const url = nextUrl.clone();
  url.pathname = "/not-found";
  return url;
}

/**
 * Adds the security headers to pages, and rewrites unknown docs pages to the 404 page, which has no docs navigation. On
 * Vercel it runs in front of every page, in a function of its own, so it imports no database and no content; pages look up
 * what their path names. Next.js takes the nonce for its scripts from the policy in the request's headers.
 */
export function proxy(request: NextRequest): NextResponse {
  const { pathname } = request.nextUrl;
  const isProgram = isProgramPost(request.method, (name) => request.headers.get(name));
  if (isProgram && !clientPaths.test(pathname)) {
    const error = "Not found. GET /openapi.json lists all endpoints.";
    const headers = { "Access-Control-Allow-Origin": "*" };
    return NextResponse.json({ error, code: "not_found", status: 404 }, { status: 404, headers });
  }
  const view = { header: (name: string) => request.headers.get(name), encrypted: false };
  const given = pageHeaders(
    { path: pathname, isSecure: isSecure(view, trustedProxyCount(settings())), nonce: newNonce() },
    settings(),
  );
  const headers = new Headers(request.headers);
  headers.set(pathHeader, pathname);
  headers.set("Content-Security-Policy", given["Content-Security-Policy"] as string);
  const init = { request: { headers } };
  const response = isUnknownDocsPage(pathname, docsSlugs)
    ? NextResponse.rewrite(notFoundUrl(request), init)
    : NextResponse.next(init);
  for (const [name, value] of Object.entries(given)) response.headers.set(name, value);
  return response;
}

/** Only pages: the API and files set their own headers. */
export const config = { matcher: ["/((?!api/|v1/|v1beta/|metrics$|_next/|og/|og$|\\.well-known/).*)"] };
