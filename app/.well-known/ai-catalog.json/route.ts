import { aiCatalog, getAiCatalogEndpoint } from "#lib/discovery/content/index";
import { jsonReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";

const headers = { "Content-Type": "application/ai-catalog+json" };

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getAiCatalogEndpoint, (context) => jsonReply(aiCatalog(context), 200, headers)),
);
