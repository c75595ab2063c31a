import { headers } from "next/headers";
import { pageContext } from "#lib/server/http/context";

/** Returns the request context of the current page, with its site and origin, as the API has it. */
export async function getPageContext() {
  return pageContext(await headers());
}
