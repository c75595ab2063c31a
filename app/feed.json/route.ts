import { jsonReply, lastModified } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import { getJsonFeed, getJsonFeedEndpoint } from "#lib/tracking/feed/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getJsonFeedEndpoint, async (context, input) => {
    const { feed, changedAt } = await getJsonFeed(context, input);
    const type = { "Content-Type": "application/feed+json; charset=utf-8" };
    return jsonReply(feed, 200, { ...type, ...lastModified(changedAt) });
  }),
);
