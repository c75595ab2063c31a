import type { Endpoint } from "#lib/contract/endpoint";
import * as content from "#lib/discovery/content/index";
import { sitePages } from "#lib/discovery/documents/index";
import { search, searchEndpoint } from "#lib/discovery/search/index";
import { listModels, modelPath } from "#lib/models/index";
import { AppError } from "#lib/platform/errors";
import { cassettesOfSite } from "#lib/replay/cassettes/index";
import { type Binding, bind, bindWith } from "#lib/server/http/bindings";
import { keptDocument, listMaxAgeMs } from "#lib/server/http/kept-document";
import { emptyReply, tapedeckErrors } from "#lib/server/http/reply";
import { getOpenApiEndpoint } from "#lib/server/openapi/index";
import { type ProductContext, withProducts } from "#lib/server/products";
import { listVendors } from "#lib/tracking/vendors/index";
import { getOpenApiDocument, listApiGroups } from "../endpoints";

/** Returns an empty list if the store is not configured or does not answer. */
const listOrEmpty = (list: () => Promise<string[]>) =>
  list().catch((error: unknown): string[] => {
    if (error instanceof AppError) return [];
    throw error;
  });

/** Lists the paths of the site's pages, without those of the docs. */
async function listSitePaths(context: ProductContext): Promise<string[]> {
  const [players, vendors, { models }] = await Promise.all([
    listOrEmpty(async () => (await cassettesOfSite(context)).map(({ id }) => `/replay/${id}`)),
    listOrEmpty(async () => (await listVendors(context)).vendors.map(({ slug }) => `/vendors/${slug}`)),
    listModels(context, { query: {} }),
  ]);
  return [
    ...Object.keys(sitePages),
    ...listApiGroups().map(({ slug }) => `/docs/api/${slug}`),
    ...players,
    ...vendors,
    ...models.map(modelPath),
  ];
}

const bindProducts = bindWith(withProducts);

type Write = (context: ProductContext) => string | Promise<string>;

/** Binds a document that is kept. Without `maxAgeMs` it depends on nothing that changes while the server runs. */
const bindKept = (endpoint: Endpoint, write: Write, maxAgeMs = 0) =>
  bindProducts(endpoint, (context) =>
    keptDocument(context, endpoint.path, {
      contentType: `${endpoint.responses[200]?.body?.type}; charset=utf-8`,
      maxAgeMs,
      write: () => write(context),
    }),
  );

export const bindings = [
  bindProducts(searchEndpoint, (context, { query }) => search(context, query)),
  bindKept(getOpenApiEndpoint, getOpenApiDocument),
  bindKept(content.getLlmsTxtEndpoint, content.getLlmsTxt, listMaxAgeMs),
  bindKept(content.getLlmsFullTxtEndpoint, content.getLlmsFullTxt),
  bindKept(content.getChangelogEndpoint, content.getChangelog),
  bindKept(
    content.getSitemapEndpoint,
    async (context) => content.getSitemap(context, await listSitePaths(context)),
    listMaxAgeMs,
  ),
];

/** Pages that had another name. */
const formerPages: Readonly<Record<string, string>> = { messages: "drop-in" };

/** Answers requests for the markdown of a page of the docs: `/docs/<page>.md`. */
export function otherAt({ method, path }: { method: string; path: string }): Binding | undefined {
  const slug = path.slice("/docs/".length, -".md".length);
  if (method !== "GET") return undefined;
  return bind(content.docsMarkdownEndpoint, async (context) => {
    const newName = Object.hasOwn(formerPages, slug) ? formerPages[slug] : undefined;
    if (newName !== undefined) return emptyReply(308, { Location: `/docs/${newName}.md` });
    const page = await content.findPage(slug.replace(/^index$/, ""));
    if (!page) throw new AppError("not_found", tapedeckErrors.notFound);
    return keptDocument(context, path, {
      contentType: "text/markdown; charset=utf-8",
      headers: { Link: `<${content.pagePath(page)}>; rel="canonical", </llms.txt>; rel="describedby"` },
      write: () => content.pageMarkdown(page, context),
    });
  });
}
