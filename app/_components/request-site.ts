import { headers } from "next/headers";
import { pageContext } from "#lib/server/http/context";

/** The site and origin of the page's request, found as the API finds them. */
export async function requestSite() {
  return pageContext(await headers());
}
