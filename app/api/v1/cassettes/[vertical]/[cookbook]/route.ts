import { downloadCassette, downloadCassetteEndpoint } from "#lib/replay/cassettes/index";
import { downloadReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(downloadCassetteEndpoint, async (context, input) => downloadReply(await downloadCassette(context, input))),
);
