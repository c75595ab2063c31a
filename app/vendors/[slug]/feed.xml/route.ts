import { getVendorAtomFeed, getVendorAtomFeedEndpoint } from "#lib/feed/index";
import { lastModified, textReply } from "#lib/http/reply";
import { handle, routes } from "#lib/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getVendorAtomFeedEndpoint, async (context, input) => {
    const { text, changedAt } = await getVendorAtomFeed(context, input);
    return textReply(text, "application/atom+xml; charset=utf-8", lastModified(changedAt));
  }),
);
