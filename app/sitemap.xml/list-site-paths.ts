import { AppError } from "#lib/platform/errors";
import { cassettesOfSite } from "#lib/replay/cassettes/index";
import type { RequestContext } from "#lib/server/http/context";
import { listVendors } from "#lib/tracking/vendors/index";
import { listApiGroups } from "../endpoints";

const rooms = ["/replay", "/vendors", "/pricing", "/status", "/docs/api"];

/** What a store gives; nothing while it does not answer or none is configured. */
async function orNothing(list: () => Promise<string[]>): Promise<string[]> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** Paths of the site's pages beside those of the docs. */
export async function listSitePaths(context: RequestContext): Promise<string[]> {
  const [players, vendors] = await Promise.all([
    orNothing(async () => (await cassettesOfSite(context)).map(({ id }) => `/replay/${id}`)),
    orNothing(async () => (await listVendors(context)).vendors.map(({ slug }) => `/vendors/${slug}`)),
  ]);
  return [...rooms, ...listApiGroups().map(({ slug }) => `/docs/api/${slug}`), ...players, ...vendors];
}
