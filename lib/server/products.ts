import { findNearestCassettes } from "#lib/discovery/search/index";
import { type Database, requireDatabase } from "#lib/platform/database/index";
import { type Catalogue, catalogue } from "#lib/replay/cassettes/index";
import type { DropInContext } from "#lib/replay/playback/index";
import type { RequestContext } from "./http/context";

/** Adds the database to a context. Reading it throws AppError service_unavailable if none is configured. */
export function withDatabase<Context extends object>(context: Context): Context & { database: Database } {
  return Object.defineProperty(context, "database", { get: requireDatabase, enumerable: true }) as Context & {
    database: Database;
  };
}

export type ProductContext = RequestContext & {
  catalogue: Catalogue;
  /** Returns the site's cassettes with the most similar prompts. */
  nearestCassettes: DropInContext["nearestCassettes"];
  database: Database;
};

/** Adds database and cassettes to a context. */
export function withProducts(context: RequestContext): ProductContext {
  const cassettes = catalogue();
  return Object.assign(withDatabase(context), {
    catalogue: cassettes,
    nearestCassettes: ((input) =>
      findNearestCassettes({ catalogue: cassettes, site: context.site }, input)) as DropInContext["nearestCassettes"],
  });
}
