import { type NextRequest, NextResponse } from "next/server";
import { isMissingPage } from "#app/missing-page";
import { config as settings } from "#lib/platform/config";
import { trustsProxy } from "#lib/server/http/client-address";
import { pageContext } from "#lib/server/http/context";
import { pageHeaders, pathHeader } from "#lib/server/http/page-headers";

/** An address that no page has: Next answers it with 404 and the page for what there is not. */
function nowhereOf({ nextUrl }: NextRequest): URL {
  const url = nextUrl.clone();
  url.pathname = "/nothing-here";
  return url;
}

/**
 * Gives pages their security headers, and those that are missing their 404. Next finds the nonce for its scripts in
 * the policy of the request.
 */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname } = request.nextUrl;
  const forwarded = trustsProxy(settings()) ? request.headers.get("x-forwarded-proto") : null;
  const isSecure = (forwarded ?? request.nextUrl.protocol).startsWith("https");
  const nonce = Buffer.from(crypto.randomUUID()).toString("base64");
  const given = pageHeaders({ path: pathname, isSecure, nonce }, settings());
  const headers = new Headers(request.headers);
  headers.set(pathHeader, pathname);
  headers.set("Content-Security-Policy", given["Content-Security-Policy"] as string);
  const isMissing = await isMissingPage(pageContext(request.headers), pathname);
  const response = isMissing
    ? NextResponse.rewrite(nowhereOf(request), { request: { headers } })
    : NextResponse.next({ request: { headers } });
  for (const [name, value] of Object.entries(given)) response.headers.set(name, value);
  return response;
}

/** Pages alone: the API and files have headers of their own. */
export const config = { matcher: ["/((?!api/|v1/|_next/|og/|og$|\\.well-known/).*)"] };
