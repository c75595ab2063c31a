import { type Database, requireDatabase } from "#lib/platform/database/index";
import { type Catalogue, catalogue } from "#lib/replay/cassettes/index";
import type { DropInContext } from "#lib/replay/playback/index";
import type { RequestContext } from "./http/context";

export type ProductContext = RequestContext & {
  catalogue: Catalogue;
  /** Returns the site's cassettes with the most similar prompts. */
  nearestCassettes: DropInContext["nearestCassettes"];
  /** Throws AppError service_unavailable if no database is configured. */
  database: Database;
};

/** Adds database and cassettes to a context. */
export function withProducts(context: RequestContext): ProductContext {
  const nearestCassettes: DropInContext["nearestCassettes"] = async (input) => {
    const { findNearestCassettes } = await import("#lib/discovery/search/index");
    return findNearestCassettes({ catalogue: catalogue(), site: context.site }, input);
  };
  const database = { get: requireDatabase, enumerable: true };
  return Object.defineProperties(Object.assign(context, { catalogue: catalogue(), nearestCassettes }), {
    database,
  }) as ProductContext;
}
