import { AsyncLocalStorage } from "node:async_hooks";
import { headers } from "next/headers";
import type { Caller } from "#lib/accounts/keys/index";
import { requestContext } from "#lib/server/http/context";
import { type ProductContext, withProducts } from "#lib/server/products";

const callers = new AsyncLocalStorage<Caller>();

/** Calls a page as `caller` sees it. What the page loads after it has returned is loaded for nobody. */
export function asCaller<T>(caller: Caller, page: () => Promise<T>): Promise<T> {
  return callers.run(caller, page);
}

/** Returns the context of the current page's request, which is the same as for the API. */
export async function getPageContext(): Promise<ProductContext> {
  const given = await headers();
  const context = withProducts(requestContext({ header: (name) => given.get(name), encrypted: false }, "page"));
  const caller = callers.getStore();
  return caller ? Object.assign(context, { caller }) : context;
}
