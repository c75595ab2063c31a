import { getChangelog, getChangelogEndpoint } from "#lib/discovery/content/index";
import { textReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(getChangelogEndpoint, async (context) => textReply(await getChangelog(context), "text/markdown; charset=utf-8")),
);
