import { getLlmsTxtEndpoint, llmsTxt, loadPages } from "#lib/content/index";
import { textReply } from "#lib/http/reply";
import { handle, routes } from "#lib/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getLlmsTxtEndpoint, async ({ origin, site }) =>
    textReply(llmsTxt({ origin, site, pages: await loadPages() }), "text/plain; charset=utf-8"),
  ),
);
