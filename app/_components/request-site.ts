import { headers } from "next/headers";
import { requestContext } from "#lib/http/context";

/** The site and origin of the page's request, found as the API finds them. */
export async function requestSite() {
  const given = await headers();
  return requestContext(
    {
      method: "GET",
      target: "/",
      header: (name) => given.get(name),
      headers: () => new Headers(given),
      encrypted: false,
      params: {},
      signal: () => new AbortController().signal,
      readBody: async () => new Uint8Array(),
    },
    "page",
  );
}
