import { headers } from "next/headers";
import { requestContext } from "#lib/server/http/context";
import { type ProductContext, withProducts } from "#lib/server/products";

/** Returns the context of the current page's request, which is the same as for the API. */
export async function getPageContext(): Promise<ProductContext> {
  const given = await headers();
  return withProducts(requestContext({ header: (name) => given.get(name), encrypted: false }, "page"));
}
