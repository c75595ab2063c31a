import * as content from "#lib/discovery/content/index";
import { search, searchEndpoint } from "#lib/discovery/search/index";
import { listModels, modelPath } from "#lib/models/index";
import { AppError } from "#lib/platform/errors";
import { cassettesOfSite } from "#lib/replay/cassettes/index";
import { bindWith } from "#lib/server/http/bindings";
import { textReply } from "#lib/server/http/reply";
import { getOpenApiEndpoint } from "#lib/server/openapi/index";
import { type ProductContext, withProducts } from "#lib/server/products";
import { listVendors } from "#lib/tracking/vendors/index";
import { getOpenApiDocument, listApiGroups } from "../endpoints";

const sections = [
  ...["/replay", "/replay/open", "/vendors", "/models", "/changes", "/pricing", "/status", "/changelog"],
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
async function listSitePaths(context: ProductContext): Promise<string[]> {
  const [players, vendors, { models }] = await Promise.all([
    listOrEmpty(async () => (await cassettesOfSite(context)).map(({ id }) => `/replay/${id}`)),
    listOrEmpty(async () => (await listVendors(context)).vendors.map(({ slug }) => `/vendors/${slug}`)),
    listModels(context, { query: {} }),
  ]);
  return [
    ...sections,
    ...listApiGroups().map(({ slug }) => `/docs/api/${slug}`),
    ...players,
    ...vendors,
    ...models.map(modelPath),
  ];
}

const bind = bindWith(withProducts);
const plainText = "text/plain; charset=utf-8";

export const bindings = [
  bind(searchEndpoint, (context, { query }) => search(context, query)),
  bind(getOpenApiEndpoint, (context) => textReply(getOpenApiDocument(context), "application/json; charset=utf-8")),
  bind(content.getLlmsTxtEndpoint, async (context) => textReply(await content.getLlmsTxt(context), plainText)),
  bind(content.getLlmsFullTxtEndpoint, async (context) => textReply(await content.getLlmsFullTxt(context), plainText)),
  bind(content.getChangelogEndpoint, async (context) =>
    textReply(await content.getChangelog(context), "text/markdown; charset=utf-8"),
  ),
  bind(content.getSitemapEndpoint, async (context) =>
    textReply(await content.getSitemap(context, await listSitePaths(context)), "application/xml; charset=utf-8"),
  ),
];
