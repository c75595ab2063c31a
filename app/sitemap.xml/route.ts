import { getSitemap, getSitemapEndpoint } from "#lib/discovery/content/index";
import { textReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import { listSitePaths } from "./list-site-paths";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getSitemapEndpoint, async (context) =>
    textReply(await getSitemap(context, await listSitePaths(context)), "application/xml; charset=utf-8"),
  ),
);
