import { headers } from "next/headers";
import { pageContext } from "#lib/server/http/context";

/** Returns the context of the current page's request, which is the same as for the API. */
export async function getPageContext() {
  return pageContext(await headers());
}
