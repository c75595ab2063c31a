import { getJsonFeed, getJsonFeedEndpoint } from "#lib/feed/index";
import { jsonReply, lastModified } from "#lib/http/reply";
import { handle, routes } from "#lib/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getJsonFeedEndpoint, async (context) => {
    const { feed, changedAt } = await getJsonFeed(context);
    const type = { "Content-Type": "application/feed+json; charset=utf-8" };
    return jsonReply(feed, 200, { ...type, ...lastModified(changedAt) });
  }),
);
