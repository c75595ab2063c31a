import { lastModified, textReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import { getAtomFeed, getAtomFeedEndpoint } from "#lib/tracking/feed/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getAtomFeedEndpoint, async (context, input) => {
    const { text, changedAt } = await getAtomFeed(context, input);
    return textReply(text, "application/atom+xml; charset=utf-8", lastModified(changedAt));
  }),
);
