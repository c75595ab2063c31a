import { AppError } from "#lib/platform/errors";
import { cassettesOfSite } from "#lib/replay/cassettes/index";
import type { RequestContext } from "#lib/server/http/context";
import { listVendors } from "#lib/tracking/vendors/index";
import { listApiGroups } from "../endpoints";

const sections = [
  ...["/replay", "/replay/open", "/vendors", "/changes", "/pricing", "/status", "/changelog"],
  "/docs/api",
];

/** Returns an empty list if the store is not configured or does not answer. */
async function listOrEmpty(list: () => Promise<string[]>): Promise<string[]> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** Lists the paths of the site's pages, without those of the docs. */
export async function listSitePaths(context: RequestContext): Promise<string[]> {
  const [players, vendors] = await Promise.all([
    listOrEmpty(async () => (await cassettesOfSite(context)).map(({ id }) => `/replay/${id}`)),
    listOrEmpty(async () => (await listVendors(context)).vendors.map(({ slug }) => `/vendors/${slug}`)),
  ]);
  return [...sections, ...listApiGroups().map(({ slug }) => `/docs/api/${slug}`), ...players, ...vendors];
}
